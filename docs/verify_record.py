#!/usr/bin/env python3
"""Checks records of games by the rules.

    python3 verify_record.py FILE...

A record is a file with one game of Sticheln or Nyet! that is over. docs/record.md describes the format, and docs/rules has the
rules; the comments here cite their sections. This program is written from these documents alone, as a second opinion about
the program that writes the records. It needs Python 3.11 and no package.

It prints what holds and the first thing that does not. The exit code is 0 if all records are right, 1 if one is wrong, and 2
if a file cannot be read as a record. The name `-` means the standard input.

The parts of this file: reading JSON strictly, cards and seats, the game of Sticheln, the game of Nyet!, the verification, the program.
"""

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field

FORMAT = "sticheln/record/1"
MAX_BYTES = 2 * 1024 * 1024
MAX_ROUNDS = 30
MAX_MOVES = 200
MAX_TRICKS = 200
MAX_HAND = 16
MAX_SEATS = 6
MAX_SECONDS = 2**53 - 1
MAX_POINTS = 1_000_000


class Unreadable(Exception):
    """The file cannot be read as a record."""


class Wrong(Exception):
    """A check fails at a location of the record."""

    def __init__(self, check, location, sentence):
        super().__init__(sentence)
        self.check = check
        self.location = location
        self.sentence = sentence


class Illegal(Exception):
    """The rules refuse a move, with a code of the rules document."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


# --- Reading JSON strictly ---------------------------------------------------------------------------------------------------
#
# A reader is a function from a JSON value and its pointer to the value that was read. It raises Unreadable.


def integer(low, high):
    """A reader of whole numbers in these bounds. True and 2.0 are no whole numbers."""

    def read(value, pointer):
        if type(value) is not int or not low <= value <= high:
            raise Unreadable(f"the value at {pointer} is no whole number from {low} to {high}")
        return value

    return read


def one_of(*choices):
    """A reader of one of these values, which have the same type."""

    def read(value, pointer):
        if type(value) is not type(choices[0]) or value not in choices:
            raise Unreadable(f"the value at {pointer} is none of {', '.join(map(str, choices))}")
        return value

    return read


def nullable(reader):
    """A reader that reads null as None."""
    return lambda value, pointer: None if value is None else reader(value, pointer)


def text(most):
    """A reader of texts of at most this many characters."""

    def read(value, pointer):
        if type(value) is not str or len(value) > most:
            raise Unreadable(f"the value at {pointer} is no text of at most {most} characters")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise Unreadable(f"the text at {pointer} has half of a surrogate pair")
        return value

    return read


def items(reader, least, most):
    """A reader of lists with a number of items in these bounds."""

    def read(value, pointer):
        if type(value) is not list or not least <= len(value) <= most:
            raise Unreadable(f"the value at {pointer} is no list of {least} to {most} values")
        return [reader(item, f"{pointer}/{at}") for at, item in enumerate(value)]

    return read


def by_seat(reader):
    """A reader of lists with a value for each seat. Whether the game has as many seats is a check."""
    return items(reader, 1, MAX_SEATS)


def fields(required, optional=None):
    """A reader of objects with these fields, each with its reader. Optional fields that are missing are read as None."""
    optional = optional or {}

    def read(value, pointer):
        if type(value) is not dict:
            raise Unreadable(f"the value at {pointer} is no object")
        for name in value:
            if name not in required and name not in optional:
                raise Unreadable(f"the field {pointer}/{name} is unknown")
        for name in required:
            if name not in value:
                raise Unreadable(f"the field {pointer}/{name} is missing")
        readers = {**required, **optional}
        found = {name: reader(value[name], f"{pointer}/{name}") for name, reader in readers.items() if name in value}
        return dict.fromkeys(readers) | found

    return read


def tagged(tag, variants):
    """A reader of objects whose field `tag` selects the reader of the whole object."""

    def read(value, pointer):
        if type(value) is not dict or tag not in value:
            raise Unreadable(f"the value at {pointer} is no object with the field {tag}")
        kind = one_of(*variants)(value[tag], f"{pointer}/{tag}")
        return variants[kind](value, pointer)

    return read


def parsed(data):
    """The JSON value of these bytes."""

    def unique(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise Unreadable("an object has a field twice")
        return dict(pairs)

    def refused(name):
        raise Unreadable(f"{name} is not JSON")

    def whole(digits):
        # There is one way to write zero.
        return refused(digits) if digits == "-0" else int(digits)

    if len(data) > MAX_BYTES:
        raise Unreadable(f"the file has more than {MAX_BYTES} bytes")
    try:
        content = data.decode("utf-8")
        return json.loads(content, object_pairs_hook=unique, parse_constant=refused, parse_int=whole)
    except (ValueError, RecursionError) as error:
        raise Unreadable("the file is not JSON") from error


# --- Cards and seats ---------------------------------------------------------------------------------------------------------

COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "grey"]
CARD = re.compile(rf"({'|'.join(COLOURS)})-(0|[1-9][0-9]{{0,2}})", re.ASCII)


@dataclass(frozen=True)
class Card:
    """A card. Several cards of Nyet! can be equal."""

    colour: str
    value: int

    def __str__(self):
        return f"{self.colour}-{self.value}"

    @property
    def place_in_hand(self):
        """The key by which hands are sorted."""
        return COLOURS.index(self.colour), self.value


def read_card(value, pointer):
    """Reads a card such as `red-7`. The number can be up to 255, also if no game has such a card."""
    found = CARD.fullmatch(value) if type(value) is str else None
    if found is None or int(found[2]) > 255:
        raise Unreadable(f"the value at {pointer} is no card")
    return Card(found[1], int(found[2]))


def sorted_cards(most):
    """A reader of at most this many cards in the order of a hand."""

    def read(value, pointer):
        cards = items(read_card, 0, most)(value, pointer)
        if cards != sorted(cards, key=lambda card: card.place_in_hand):
            raise Unreadable(f"the cards at {pointer} are not sorted")
        return cards

    return read


read_seat = integer(0, 255)
read_seconds = integer(0, MAX_SECONDS)
read_hand = sorted_cards(MAX_HAND)
read_points = integer(-(2**31), 2**31 - 1)


@dataclass(frozen=True)
class Trick:
    """A finished trick; `taker` is None if its cards were set aside."""

    leader: int
    cards: list
    taker: int | None

    def __str__(self):
        cards = " ".join(map(str, self.cards))
        end = "it is set aside" if self.taker is None else f"seat {self.taker} takes it"
        return f"seat {self.leader} leads, {cards}, {end}"


@dataclass
class RunningTrick:
    """A trick to which seats play clockwise, beginning with the leader."""

    leader: int
    seats: int
    cards: list = field(default_factory=list)

    @property
    def turn(self):
        """The seat that plays next."""
        return (self.leader + len(self.cards)) % self.seats

    @property
    def is_full(self):
        """Whether each seat has played."""
        return len(self.cards) == self.seats

    def seat_of(self, place):
        """The seat whose card is at this place in playing order."""
        return (self.leader + place) % self.seats


# --- The end of a game (sticheln.md section 7, nyet.md section 8) -------------------------------------------------------------

read_end = tagged(
    "type",
    {
        "rounds": fields({"type": one_of("rounds"), "rounds": integer(1, 30)}),
        "target": fields({"type": one_of("target"), "target": integer(1, 999), "max_rounds": integer(1, 30)}),
    },
)


def is_end(end, rounds, totals):
    """Whether a game is over after this number of rounds with these totals."""
    if end["type"] == "rounds":
        return rounds >= end["rounds"]
    has_target = rounds > 0 and max(totals) >= end["target"]
    return has_target or rounds >= end["max_rounds"]


# --- Sticheln ----------------------------------------------------------------------------------------------------------------


class Sticheln:
    """The game of Sticheln (docs/rules/sticheln.md)."""

    name = "sticheln"
    seats = range(3, 7)
    option_readers = {
        "edition": one_of("nsv", "amigo-1993"),
        "end": nullable(read_end),
        "all_zero_trick": nullable(one_of("nobody", "leader")),
        "show_last_trick": one_of(True, False),
        "show_history": one_of("off", "last_trick", "all"),
        "show_running_score": one_of(True, False),
    }
    read_action = staticmethod(
        tagged(
            "type",
            {
                "pick": fields({"type": one_of("pick"), "card": read_card}),
                "play": fields({"type": one_of("play"), "card": read_card}),
            },
        )
    )
    read_score = staticmethod(
        fields({"minus_cards": read_hand, "minus": read_points, "plus": read_points, "points": read_points})
    )

    def __init__(self, options, seats):
        self.number_of_seats = seats
        self.edition = options["edition"] or "nsv"
        is_nsv = self.edition == "nsv"
        # Section 2: the usual length, and a trick of zeros only.
        self.end = options["end"] or {"type": "rounds", "rounds": seats if is_nsv else 10}
        self.all_zero_trick = options["all_zero_trick"] or ("nobody" if is_nsv else "leader")

    def pack(self):
        """All cards (section 2)."""
        colours = {
            "nsv": ["red", "yellow", "green", "blue", "purple", "grey"],
            "amigo-1993": ["red", "orange", "yellow", "green", "blue", "purple"],
        }[self.edition]
        # With fewer than six players the last colour of the list is missing.
        if self.number_of_seats < 6:
            colours = colours[:5]
        highest = {3: 8, 4: 11, 5: 14, 6: 14}[self.number_of_seats]
        return [Card(colour, value) for colour in colours for value in range(highest + 1)]

    def hand_size(self):
        """The cards that each seat is dealt (section 3)."""
        return 15

    def new_round(self, opening, hands):
        """A round that has been dealt."""
        # Section 2: the rotating role is that of the first leader, or of the dealer to their right.
        leader = opening if self.edition == "nsv" else (opening + 1) % self.number_of_seats
        return StichelnRound(self, leader, hands)


class StichelnRound:
    """A round of Sticheln."""

    def __init__(self, game, leader, hands):
        self.game = game
        self.hands = hands
        self.picks = [None] * game.number_of_seats
        self.captured = [[] for _ in hands]
        self.known_cards = set(game.pack())
        self.trick = RunningTrick(leader, game.number_of_seats)

    @property
    def is_picking(self):
        """Whether the phase is that of the picks (section 3)."""
        return None in self.picks

    @property
    def is_over(self):
        """Whether all cards have been played."""
        return not self.is_picking and not any(self.hands)

    def chosen(self):
        """The seats that have made a hidden choice while others have not; None in a phase with turns."""
        if not self.is_picking:
            return None
        return [seat for seat, pick in enumerate(self.picks) if pick is not None]

    def check(self, seat, action):
        """Refuses a move that is not legal, with the first code of section 8."""
        card = action["card"]
        if (action["type"] == "pick") != self.is_picking:
            raise Illegal("wrong_phase")
        if self.is_picking and self.picks[seat] == card:
            raise Illegal("already_picked")
        if not self.is_picking and self.trick.turn != seat:
            raise Illegal("not_your_turn")
        if card not in self.known_cards:
            raise Illegal("unknown_card")
        if card not in self.hands[seat]:
            raise Illegal("card_not_in_hand")

    def act(self, seat, action):
        """Does a legal move. Returns the trick that it finishes, or None."""
        card = action["card"]
        self.hands[seat].remove(card)
        if action["type"] == "pick":
            self.picks[seat] = card
            return None
        self.trick.cards.append(card)
        return self.finish_trick() if self.trick.is_full else None

    def finish_trick(self):
        """Gives the trick to the seat that wins it, which leads the next one (section 4)."""
        trick = self.trick
        place = self.winning_place(trick.cards)
        taker = None if place is None else trick.seat_of(place)
        if taker is not None:
            self.captured[taker] += trick.cards
        # After a trick that nobody wins the same seat leads again (section 2).
        self.trick = RunningTrick(trick.leader if taker is None else taker, trick.seats)
        return Trick(trick.leader, trick.cards, taker)

    def winning_place(self, cards):
        """The place in playing order of the card that wins a trick, or None (section 5.1)."""
        lead = cards[0].colour
        places = range(len(cards))
        trumps = [place for place in places if cards[place].colour != lead and cards[place].value > 0]
        followers = [place for place in places if cards[place].colour == lead and cards[place].value > 0]
        for group in (trumps, followers):
            if group:
                # `max` returns the first of equal values, as the rule demands.
                return max(group, key=lambda place: cards[place].value)
        return 0 if self.game.all_zero_trick == "leader" else None

    def scores(self):
        """The score of each seat (section 6)."""
        return [self.score(pick, captured) for pick, captured in zip(self.picks, self.captured)]

    def score(self, pick, captured):
        """The score of a seat: the cards of its unwanted colour cost their values, and each other card gains a point."""
        cards = captured + [pick]
        minus_cards = [card for card in cards if card.colour == pick.colour]
        minus = sum(card.value for card in minus_cards)
        plus = len(cards) - len(minus_cards)
        return {
            "minus_cards": sorted(minus_cards, key=lambda card: card.place_in_hand),
            "minus": minus,
            "plus": plus,
            "points": plus - minus,
        }


# --- Nyet! -------------------------------------------------------------------------------------------------------------------

CHARACTERS = ["bear", "wolf", "tiger", "crane", "eagle"]
NYET_COLOURS = ["blue", "red", "yellow", "green"]
# Section 3: the spaces of each row of the board. The row `trump` has `none` only with the option `no_trump_space`.
ROWS = {
    "start": CHARACTERS,
    "discard": ["none", "one", "two", "one_not_1", "pass_left"],
    "trump": NYET_COLOURS + ["none"],
    "supertrump": NYET_COLOURS + ["none"],
    "points": ["1", "2", "3", "4", "-2"],
}


def read_characters(value, pointer):
    """Reads an order of all five characters."""
    characters = items(one_of(*CHARACTERS), 5, 5)(value, pointer)
    if set(characters) != set(CHARACTERS):
        raise Unreadable(f"the value at {pointer} is no order of all characters")
    return characters


read_cover = tagged(
    "row",
    {
        row: fields({"type": one_of("cover"), "row": one_of(row), "space": one_of(*spaces)})
        for row, spaces in ROWS.items()
    },
)


class Nyet:
    """The game of Nyet! (docs/rules/nyet.md)."""

    name = "nyet"
    seats = range(2, 6)
    option_readers = {
        "end": nullable(read_end),
        "characters": read_characters,
        "no_trump_space": one_of(True, False),
        "supertrump_loot": one_of(True, False),
    }
    read_action = staticmethod(
        tagged(
            "type",
            {
                "cover": read_cover,
                "team": fields(
                    {"type": one_of("team"), "partners": items(read_seat, 0, MAX_BYTES), "bonus": nullable(read_seat)}
                ),
                "discard": fields({"type": one_of("discard"), "cards": items(read_card, 0, MAX_BYTES)}),
                "play": fields({"type": one_of("play"), "card": read_card}),
            },
        )
    )
    read_score = staticmethod(
        fields(
            {
                "tricks": integer(0, 255),
                "loot": integer(0, 255),
                "each": read_points,
                "doubled": one_of(True, False),
                "points": read_points,
            }
        )
    )

    def __init__(self, options, seats):
        self.number_of_seats = seats
        self.end = options["end"] or {"type": "rounds", "rounds": {2: 8, 3: 9, 4: 8, 5: 10}[seats]}
        self.characters = (options["characters"] or CHARACTERS)[:seats]
        self.has_no_trump_space = bool(options["no_trump_space"])
        self.is_supertrump_loot = options["supertrump_loot"] is not False

    def pack(self):
        """All cards: each colour has three 1s (section 1)."""
        highest = 10 if self.number_of_seats == 3 else 13
        values = [1, 1] + list(range(1, highest + 1))
        return [Card(colour, value) for colour in NYET_COLOURS for value in values]

    def hand_size(self):
        """The cards that each seat is dealt (section 1)."""
        return {2: 15, 3: 16, 4: 15, 5: 12}[self.number_of_seats]

    def new_round(self, opening, hands):
        """A round that has been dealt by the opening seat."""
        return NyetRound(self, opening, hands)


class NyetRound:
    """A round of Nyet!. Its phase is `cover`, `team`, `discard` or `trick`."""

    def __init__(self, game, dealer, hands):
        self.game = game
        self.hands = hands
        self.known_cards = set(game.pack())
        self.phase = "cover"
        self.turn = dealer
        # The free spaces. Characters without a player are covered for the whole game (section 3).
        self.free = {row: list(spaces) for row, spaces in ROWS.items()}
        self.free["start"] = [one for one in CHARACTERS if one in game.characters]
        if not game.has_no_trump_space:
            self.free["trump"].remove("none")
        self.start_player = None
        self.team_of = None
        self.x2_holder = None
        self.choices = [None] * game.number_of_seats
        self.trick = None
        self.tricks_won = [0] * game.number_of_seats
        self.loot = [0] * game.number_of_seats

    @property
    def is_over(self):
        """Whether all cards have been played."""
        return self.phase == "trick" and not any(self.hands)

    def condition(self, row):
        """The space of a row that has stayed free."""
        return self.free[row][0]

    def chosen(self):
        """The seats that have made a hidden choice while others have not; None in a phase with turns."""
        if self.phase != "discard":
            return None
        return [seat for seat, choice in enumerate(self.choices) if choice is not None]

    def check(self, seat, action):
        """Refuses a move that is not legal, with the first code of section 9."""
        phases = {"cover": "cover", "team": "team", "discard": "discard", "play": "trick"}
        if phases[action["type"]] != self.phase:
            raise Illegal("wrong_phase")
        turns = {"cover": self.turn, "team": self.start_player, "trick": self.trick and self.trick.turn}
        if seat != turns.get(self.phase, seat):
            raise Illegal("not_your_turn")
        match action["type"]:
            case "cover":
                self.check_cover(action["row"], action["space"])
            case "team":
                self.check_team(action["partners"], action["bonus"])
            case "discard":
                self.check_discard(seat, action["cards"])
            case "play":
                self.check_play(seat, action["card"])

    def act(self, seat, action):
        """Does a legal move. Returns the trick that it finishes, or None."""
        match action["type"]:
            case "cover":
                self.cover(action["row"], action["space"])
            case "team":
                self.form_teams(action["partners"], action["bonus"])
            case "discard":
                self.discard(seat, action["cards"])
            case "play":
                return self.play(seat, action["card"])
        return None

    # The cover phase (section 3).

    def check_cover(self, row, space):
        """Refuses a cover of a space that is not free, or is the last free one of its row."""
        if row == "trump" and space == "none" and not self.game.has_no_trump_space:
            raise Illegal("unknown_space")
        if space not in self.free[row]:
            raise Illegal("space_covered")
        if len(self.free[row]) == 1:
            raise Illegal("last_space_in_row")

    def cover(self, row, space):
        """Covers a space. The phase ends when each row has one free space."""
        seats = self.game.number_of_seats
        self.free[row].remove(space)
        self.turn = (self.turn + 1) % seats
        if any(len(spaces) > 1 for spaces in self.free.values()):
            return
        self.start_player = self.game.characters.index(self.condition("start"))
        if seats == 2:
            self.team_of = [0, 1]
            self.end_team_phase()
        else:
            self.phase = "team"

    # The teams (section 4).

    def other_seats(self, team):
        """The seats that are not in this team."""
        return [seat for seat in range(self.game.number_of_seats) if seat not in team]

    def check_team(self, partners, bonus):
        """Refuses a team with a wrong number of partners, or a seat that cannot have the x2 card."""
        seats = self.game.number_of_seats
        numbers = {3: [0, 1], 4: [1], 5: [1, 2]}[seats]
        others = self.other_seats([self.start_player])
        if len(partners) not in numbers or len(set(partners)) < len(partners) or not set(partners) <= set(others):
            raise Illegal("invalid_team")
        team = [self.start_player, *partners]
        smaller = min(team, self.other_seats(team), key=len)
        holders = {3: [None, *smaller], 4: [None], 5: smaller}[seats]
        if bonus not in holders:
            raise Illegal("invalid_bonus")

    def form_teams(self, partners, bonus):
        """Forms the teams. With three players the lone one has the x2 card."""
        seats = self.game.number_of_seats
        team = [self.start_player, *partners]
        self.team_of = [0 if seat in team else 1 for seat in range(seats)]
        smaller = min(team, self.other_seats(team), key=len)
        self.x2_holder = smaller[0] if seats == 3 else bonus
        self.end_team_phase()

    def end_team_phase(self):
        """Begins the discards, or the first trick if there are none."""
        if self.condition("discard") == "none":
            self.begin_tricks()
        else:
            self.phase = "discard"

    # The discards (section 5).

    def check_discard(self, seat, cards):
        """Refuses cards that are not in the hand, a wrong number of them, and a 1 that `one_not_1` forbids."""
        hand = self.hands[seat]
        rule = self.condition("discard")
        if len(cards) != (2 if rule == "two" else 1):
            raise Illegal("wrong_discard_count")
        if not set(cards) <= self.known_cards:
            raise Illegal("unknown_card")
        if Counter(cards) - Counter(hand):
            raise Illegal("card_not_in_hand")
        if rule == "one_not_1" and cards[0].value == 1 and any(card.value != 1 for card in hand):
            raise Illegal("discard_must_not_be_1")
        if self.choices[seat] is not None and Counter(cards) == Counter(self.choices[seat]):
            raise Illegal("already_discarded")

    def discard(self, seat, cards):
        """Notes a choice. All choices take effect when the last seat has chosen."""
        self.choices[seat] = cards
        if None in self.choices:
            return
        seats = self.game.number_of_seats
        for giver, given in enumerate(self.choices):
            for card in given:
                self.hands[giver].remove(card)
        if self.condition("discard") == "pass_left":
            for giver, given in enumerate(self.choices):
                self.hands[(giver + 1) % seats] += given
        self.begin_tricks()

    # The tricks (section 6).

    def begin_tricks(self):
        """The start player leads the first trick."""
        self.phase = "trick"
        self.trick = RunningTrick(self.start_player, self.game.number_of_seats)

    def is_supertrump(self, card):
        """Whether the card is a 1 of the supertrump colour."""
        return card.value == 1 and card.colour == self.condition("supertrump")

    def suit(self, card):
        """The suit of a card: `trump` for trumps and supertrumps, else its colour."""
        is_trump = card.colour == self.condition("trump") or self.is_supertrump(card)
        return "trump" if is_trump else card.colour

    def check_play(self, seat, card):
        """Refuses a card that is not in the hand, or does not follow the led suit if one in the hand does."""
        hand = self.hands[seat]
        if card not in self.known_cards:
            raise Illegal("unknown_card")
        if card not in hand:
            raise Illegal("card_not_in_hand")
        if self.trick.cards:
            led = self.suit(self.trick.cards[0])
            if self.suit(card) != led and any(self.suit(held) == led for held in hand):
                raise Illegal("must_follow_suit")

    def play(self, seat, card):
        """Plays a card. Returns the trick if it is full."""
        self.hands[seat].remove(card)
        self.trick.cards.append(card)
        if not self.trick.is_full:
            return None
        trick = self.trick
        taker = trick.seat_of(self.winning_place(trick.cards))
        self.tricks_won[taker] += 1
        for place, played in enumerate(trick.cards):
            if self.is_loot(played, trick.seat_of(place), taker):
                self.loot[taker] += 1
        self.trick = RunningTrick(taker, trick.seats)
        return Trick(trick.leader, trick.cards, taker)

    def winning_place(self, cards):
        """The place in playing order of the card that wins a trick. Of equal cards the last one wins."""
        places = range(len(cards))
        supertrumps = [place for place in places if self.is_supertrump(cards[place])]
        if supertrumps:
            return supertrumps[-1]
        trumps = [place for place in places if self.suit(cards[place]) == "trump"]
        led = self.suit(cards[0])
        followers = [place for place in places if self.suit(cards[place]) == led]
        return max(trumps or followers, key=lambda place: (cards[place].value, place))

    def is_loot(self, card, player, taker):
        """Whether a card of a trick is loot of its taker: a 1 that an opponent has played."""
        is_opponent = self.team_of[player] != self.team_of[taker]
        counts = self.game.is_supertrump_loot or not self.is_supertrump(card)
        return card.value == 1 and is_opponent and counts

    # The scores (section 7).

    def scores(self):
        """The score of each seat: that of its team, doubled for the holder of the x2 card."""
        each = int(self.condition("points"))
        scores = []
        for seat, team in enumerate(self.team_of):
            members = [member for member, other in enumerate(self.team_of) if other == team]
            tricks = sum(self.tricks_won[member] for member in members)
            loot = sum(self.loot[member] for member in members)
            doubled = seat == self.x2_holder
            points = (tricks + loot) * each * (2 if doubled else 1)
            scores.append({"tricks": tricks, "loot": loot, "each": each, "doubled": doubled, "points": points})
        return scores


GAMES = {game.name: game for game in (Sticheln, Nyet)}


# --- Reading a record (docs/record.md, "The form") ----------------------------------------------------------------------------

read_name = text(64)
read_player = tagged(
    "kind",
    {
        "person": fields({"kind": one_of("person")}, {"name": read_name}),
        "bot": fields({"kind": one_of("bot"), "level": text(32)}, {"name": read_name}),
    },
)
read_trick = fields({"leader": read_seat, "cards": items(read_card, 0, MAX_BYTES), "taker": nullable(read_seat)})
read_standings = fields({"totals": by_seat(read_points), "ranks": by_seat(integer(0, 255))})


def read_undealt(value, pointer):
    """Reads the cards that were not dealt, of which there is at least one."""
    cards = sorted_cards(MAX_BYTES)(value, pointer)
    if not cards:
        raise Unreadable(f"the list at {pointer} is empty")
    return cards


def round_reader(game):
    """A reader of the rounds of a game."""
    read_move = fields(
        {
            "at": read_seconds,
            "seat": read_seat,
            "by": one_of("person", "bot", "stand_in", "clock", "repeated"),
            "action": game.read_action,
        }
    )
    return fields(
        {
            "round": integer(0, 255),
            "at": read_seconds,
            "hands": by_seat(read_hand),
            "moves": items(read_move, 0, MAX_MOVES),
            "tricks": items(read_trick, 0, MAX_TRICKS),
        },
        {
            "undealt": read_undealt,
            "scores": by_seat(game.read_score),
            "totals": by_seat(read_points),
        },
    )


def read_record(data):
    """Reads a record. The options that are left out are None."""
    value = parsed(data)
    if type(value) is not dict or value.get("format") != FORMAT:
        raise Unreadable(f"the format of the file is not {FORMAT}")
    game = GAMES.get(value.get("game")) if type(value.get("game")) is str else None
    if game is None:
        raise Unreadable("no game has the id of the file")
    read_continued = fields(
        {
            "round": integer(0, 255),
            "moves": integer(0, 2**64 - 1),
            "scores": items(by_seat(game.read_score), 0, MAX_ROUNDS),
        },
        {"replay": text(64)},
    )
    read = fields(
        {
            "format": one_of(FORMAT),
            "game": one_of(game.name),
            "options": fields({}, game.option_readers),
            "seats": integer(0, 255),
            "opening": read_seat,
            "players": by_seat(read_player),
            "rounds": items(round_reader(game), 1, MAX_ROUNDS),
            "standings": read_standings,
        },
        {"continued_from": read_continued, "ended_early": one_of(True)},
    )
    return read(value, "")


# --- The verification (docs/record.md) ---------------------------------------------------------------------------------------

MEANINGS = {
    "round_over": "The round or the game is over",
    "not_seated": "The game has no such seat",
    "wrong_phase": "The action belongs to another phase",
    "not_your_turn": "It is the turn of another seat",
    "already_picked": "The seat has picked this card already",
    "unknown_card": "The game has no such card with this number of seats",
    "card_not_in_hand": "The seat does not hold this card, or not that many of it",
    "unknown_space": "The board has no such space",
    "space_covered": "The space is covered already",
    "last_space_in_row": "It is the last free space of its row",
    "invalid_team": "The team cannot be formed so",
    "invalid_bonus": "The x2 card cannot go to this seat",
    "wrong_discard_count": "The number of cards is wrong",
    "discard_must_not_be_1": "The seat holds a card that is not a 1",
    "already_discarded": "The seat has chosen these cards already",
    "must_follow_suit": "The seat holds a card of the led suit",
}


def in_words(action):
    """An action in words, such as `play red-7`. Several fields have their names: `cover row trump, space red`."""
    names = sorted(name for name in action if name != "type")
    values = [value_in_words(action[name]) for name in names]
    if len(names) > 1:
        values = [f"{name} {value}" for name, value in zip(names, values)]
    return f"{action['type']} {', '.join(values)}"


def value_in_words(value):
    """A value of an action in words."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "none" if value is None else str(value)


def count(number, noun):
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Verification:
    """The verification of a record. It counts the parts that are right, until it is through or raises Wrong."""

    def __init__(self, record):
        self.record = record
        self.seats = record["seats"]
        self.earlier = record["continued_from"]
        self.game = None
        # Including the rounds before a continued game.
        self.scored_rounds_in_game = 0
        self.totals = []
        self.deals = self.moves = self.tricks = self.scored_rounds = 0
        self.is_abandoned = False

    def run(self):
        """Checks everything, in the order of the document."""
        self.begin()
        rounds = self.record["rounds"]
        for recorded in rounds:
            self.play_round(recorded, is_last=recorded is rounds[-1])
        self.check_end()
        self.check_standings()

    @property
    def is_over(self):
        """Whether the scored rounds end the game."""
        return is_end(self.game.end, self.scored_rounds_in_game, self.totals)

    def begin(self):
        """Checks the seats, the players, and the position of another game."""
        game = GAMES[self.record["game"]]
        if self.seats not in game.seats:
            raise Wrong("setup", "Game", "the game cannot begin: the game is not played with this number of seats")
        if self.record["opening"] >= self.seats:
            raise Wrong("setup", "Game", "the game cannot begin: the game has no such opening seat")
        if len(self.record["players"]) != self.seats:
            raise Wrong("setup", "Game", "there must be one player for each seat")
        self.game = game(self.record["options"], self.seats)
        self.totals = [0] * self.seats
        if self.earlier is not None and not self.add_earlier_rounds():
            raise Wrong("setup", "Game", "the game cannot be continued from this position")

    def add_earlier_rounds(self):
        """Adds the scores of the rounds before a continued game. Returns whether a game can be there."""
        for scores in self.earlier["scores"]:
            if len(scores) != self.seats or self.is_over:
                return False
            if any(abs(score["points"]) > MAX_POINTS for score in scores):
                return False
            self.add_scores(scores)
        is_next = self.earlier["round"] == self.scored_rounds_in_game + 1
        has_moves = self.earlier["moves"] <= len(self.record["rounds"][0]["moves"])
        return is_next and has_moves and not self.is_over

    def add_scores(self, scores):
        """Adds the scores of a round to the totals."""
        self.scored_rounds_in_game += 1
        self.totals = [total + score["points"] for total, score in zip(self.totals, scores)]

    def play_round(self, recorded, is_last):
        """Checks the deal, the moves, the tricks and the scores of a round."""
        number = self.scored_rounds_in_game + 1
        location = f"Round {number}"
        hands = self.check_deal(recorded, number, location)
        self.deals += 1
        opening = (self.record["opening"] + self.scored_rounds_in_game) % self.seats
        playing = self.game.new_round(opening, hands)
        self.play_moves(recorded, playing, location)
        if playing.is_over:
            scores = playing.scores()
            self.check_scores(recorded, scores, location)
            self.add_scores(scores)
            self.check_totals(recorded, location)
            self.scored_rounds += 1
        elif is_last and self.record["ended_early"]:
            self.is_abandoned = True
            self.check_abandoned(recorded, location)
        else:
            raise Wrong("end", location, "the moves end before the round is over")

    def check_deal(self, recorded, number, location):
        """Checks the number of the round and its cards. Returns the hands."""
        if self.is_over:
            raise Wrong("end", location, "the game was over before this round")
        if recorded["round"] != number:
            raise Wrong("deal", location, f"the number of the round must be {number}")
        size = self.game.hand_size()
        hands = recorded["hands"]
        if len(hands) != self.seats or any(len(hand) != size for hand in hands):
            raise Wrong("deal", location, f"each seat must have a hand of {size} cards")
        cards = [card for hand in hands for card in hand] + (recorded["undealt"] or [])
        if Counter(cards) != Counter(self.game.pack()):
            raise Wrong("deal", location, "the dealt and undealt cards are not the pack of the game")
        return [list(hand) for hand in hands]

    def play_moves(self, recorded, playing, location):
        """Plays the moves of a round, and compares its tricks."""
        turn_at = 0
        tricks = 0
        for number, move in enumerate(recorded["moves"], 1):
            move_location = f"{location}, move {number}"
            chosen = playing.chosen()
            self.check_move(move, playing, move_location)
            if chosen is None:
                if move["at"] < turn_at:
                    raise Wrong("order", move_location, "the time is before that of an earlier move")
                turn_at = move["at"]
            elif any(other >= move["seat"] for other in chosen):
                sentence = "the hidden choices must be in the order of seats, "
                sentence += f"but seat {move['seat']} has chosen after a later seat or twice"
                raise Wrong("order", move_location, sentence)
            finished = playing.act(move["seat"], move["action"])
            self.moves += 1
            if finished is not None:
                tricks += 1
                self.check_trick(recorded["tricks"], tricks, finished, location)
                self.tricks += 1
        if len(recorded["tricks"]) > tricks:
            raise Wrong("tricks", f"{location}, trick {tricks + 1}", "the record has more tricks than were finished")

    def check_move(self, move, playing, location):
        """Checks that a move is legal."""
        seat, action = move["seat"], move["action"]
        try:
            if playing.is_over:
                raise Illegal("round_over")
            if seat >= self.seats:
                raise Illegal("not_seated")
            playing.check(seat, action)
        except Illegal as illegal:
            sentence = f"seat {seat} cannot {in_words(action)} ({illegal.code}). {MEANINGS[illegal.code]}"
            raise Wrong("moves", location, sentence) from illegal

    def check_trick(self, tricks, number, finished, location):
        """Compares a trick with the one of this number in the record."""
        given = Trick(**tricks[number - 1]) if number <= len(tricks) else None
        if given != finished:
            raise Wrong("tricks", f"{location}, trick {number}", f"the trick must be: {finished}")

    def check_scores(self, recorded, scores, location):
        """Compares the scores of a scored round."""
        if recorded["scores"] is None or len(recorded["scores"]) != self.seats:
            raise Wrong("scores", location, "a scored round must have a score of each seat")
        for seat, (given, right) in enumerate(zip(recorded["scores"], scores)):
            if given != right:
                raise Wrong("scores", location, f"the score of seat {seat} is wrong")

    def check_totals(self, recorded, location):
        """Compares the totals after a scored round."""
        if recorded["totals"] is None or len(recorded["totals"]) != self.seats:
            raise Wrong("totals", location, "a scored round must have a total of each seat")
        for seat, (given, right) in enumerate(zip(recorded["totals"], self.totals)):
            if given != right:
                raise Wrong("totals", location, f"the total of seat {seat} is wrong")

    def check_abandoned(self, recorded, location):
        """Refuses scores and totals of an abandoned round."""
        for name in ("scores", "totals"):
            if recorded[name] is not None:
                raise Wrong(name, location, f"a round that was abandoned has no {name}")

    def check_end(self):
        """Checks that the game is over, or was ended early."""
        if not self.record["ended_early"]:
            if not self.is_over:
                raise Wrong("end", "Game", "the game is not over after the last round")
        elif self.is_over and not self.is_abandoned:
            raise Wrong("end", "Game", "the game cannot be ended early: the game is over")
        elif self.scored_rounds_in_game == 0:
            raise Wrong("end", "Game", "the game cannot be ended early: no round has been scored")

    def check_standings(self):
        """Compares the totals and ranks: 1 + the number of seats with more points."""
        ranks = [1 + sum(other > total for other in self.totals) for total in self.totals]
        if self.record["standings"] != {"totals": self.totals, "ranks": ranks}:
            raise Wrong("standings", "Game", "the standings are not those of the last totals")

    def held(self):
        """The sentences about a record that is right."""
        game = self.record["game"]
        yield f"The record is valid: a game of {game} with {self.seats} seats."
        if self.earlier is not None and self.earlier["scores"]:
            rounds = count(len(self.earlier["scores"]), "round")
            yield f"It continues another game after {rounds}, whose scores cannot be checked."
        played = f"{count(self.deals, 'round')}, {count(self.moves, 'move')}"
        yield f"{played}: every deal has the whole pack, and every move was legal."
        yield f"{count(self.tricks, 'trick')}: every trick has the right leader, cards and taker."
        yield f"{count(self.scored_rounds, 'scored round')}: every score and total is right."
        if self.is_abandoned:
            yield "The game was ended early, and its last round was abandoned."
        elif self.record["ended_early"]:
            yield "The game was ended early."
        else:
            yield "The game ended as its options say."
        yield "The standings are right."

    def violated(self, wrong):
        """The sentences about a record that is wrong."""
        yield f"The record is wrong: a game of {self.record['game']} with {self.seats} seats."
        yield f"{wrong.location}: {wrong.sentence}."
        yield f"Failed check: {wrong.check}."
        counts = [count(self.deals, "deal"), count(self.moves, "move"), count(self.tricks, "trick")]
        yield f"Correct until then: {', '.join(counts)}, {count(self.scored_rounds, 'scored round')}."


# --- The program -------------------------------------------------------------------------------------------------------------


def verify(data):
    """Verifies the bytes of a record. Returns the exit code and the sentences."""
    try:
        verification = Verification(read_record(data))
    except Unreadable as error:
        return 2, [f"This is no record: {error}."]
    try:
        verification.run()
    except Wrong as wrong:
        return 1, list(verification.violated(wrong))
    return 0, list(verification.held())


def read_bytes(path):
    """The bytes of a file, or one more than a record can have."""
    if path == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with open(path, "rb") as file:
        return file.read(MAX_BYTES + 1)


def verify_file(path):
    """Verifies a file. Returns the exit code and the sentences."""
    try:
        return verify(read_bytes(path))
    except OSError as error:
        return 2, [f"The file cannot be read: {error}."]


def printable(text):
    """A text without characters that a terminal would execute or cannot show. A file can have any name of a field."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def main(paths):
    """Verifies all files. With several files, a line with its name is before the sentences of each."""
    if not paths:
        print("usage: verify_record.py FILE...", file=sys.stderr)
        return 2
    worst = 0
    for path in paths:
        code, sentences = verify_file(path)
        if len(paths) > 1:
            print(f"{path}:")
        print("\n".join(map(printable, sentences)), file=sys.stderr if code == 2 and len(paths) == 1 else sys.stdout)
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
