// The game of both servers: four seats play the cards of their hands in turn. Each move shows all seats the trick, the seat on
// turn and the numbers of cards in the hands. A seat also sees its own hand. After the last card there is a new deal.

export const SEATS = 4;
export const CARDS = Array.from({ length: 60 }, (_, card) => card);

/** The hands that are dealt from a shuffled deck. */
export function hands(deck) {
  return Array.from({ length: SEATS }, (_, seat) => deck.filter((_, index) => index % SEATS === seat));
}
