//! Replays: a game that was cleared in its first round, one that is played on from there, and one from a file.

use sticheln_record::RecordFile;
use sticheln_rules::Sticheln;

use super::first;
use super::sticheln::default_game;
use crate::record::example;
use crate::samples::Sample;
use crate::scene::Scene;

/// A short round with its replay, and a game that goes on from the middle of it.
pub fn played_on() -> Vec<Sample> {
    let mut scene = default_game(9);
    scene.rename("replays");
    let replays = r#""replays":"everybody""#;
    scene.record_request("configure: the replays", "Ada", "configure", replays);
    scene.grant("Ada", "start", "");
    scene.play_until(first, |scene| scene.table("Ada")["phase"] == "trick");
    scene.grant("Ben", "rename", r#""name":"Benno""#);
    scene.grant("Ben", "pause", "");
    scene.grant("Ada", "end", "");
    scene.record_replay("the replay of a game that was cleared");
    scene.record_round_replay("the replay of a round");
    let mut samples = std::mem::take(&mut scene.samples);

    let mut scene = Scene::continuing("replays", scene.continuation());
    for who in ["Ada", "Ben", "Cleo", "Dan"] {
        scene.join_and_sit(who);
    }
    let options = r#""options":{}"#;
    let title = "configure: the options of a game that is played on";
    scene.record_refused(title, "Ada", "configure", options, "position_given");
    scene.grant("Ada", "start", "");
    scene.play_until(first, |scene| scene.table("Ada")["phase"] == "round_end");
    scene.record_received("room: a game that is played on", "Ada", "room");
    scene.record_replay("the replay of a game that is played on");
    samples.extend(scene.samples);

    let record = RecordFile::<Sticheln>::read(example().to_string().as_bytes()).unwrap();
    let mut scene = Scene::importing("replays", record);
    scene.record_replay("the replay of a game from a file");
    samples.extend(scene.samples);
    samples
}
