// Writes down the present run, its other courses and its files while the viewer wants
// that, every few seconds, so that a tab that crashes loses next to nothing.
import { atMostEvery, h } from "../base/dom.ts";
import { clock, count } from "../base/format.ts";
import { bare, encodeAddress } from "../model/address.ts";
import { courseNames, otherCourses } from "../model/courses.ts";
import { type Keeper, type KeptRun, nameOf, whyNot } from "../model/kept.ts";
import { linkTo } from "../model/scenario.ts";
import { all, type Store } from "../model/store.ts";
import { systemOf } from "../model/systems.ts";
import { paintSmall } from "../place/watch/panel/minimap.ts";
import { addressOf } from "./location.ts";

const EVERY = 4000; // ms

/** Keeps what runs; returns the way to stop. */
export function startKeeping(store: Store, keeper: Keeper): () => void {
  let failed = false;
  let written = ""; // the run that was kept last
  const save = async () => {
    const { keeping, session, status, scenario, files, traceFiles } = store.state;
    if (keeping === "" || failed || session.is !== "running" || session.arrival || !status || !scenario) return;
    const runs = await runsOf(store);
    const text = runs.map(({ link }) => link).join();
    if (text === written || store.state.keeping === "") return; // it was switched off meanwhile
    written = text;
    try {
      await keeper.keep(...runs);
      for (const { sha256, file: name, bytes } of files) {
        const file = traceFiles.find((each) => each.name === name && each.size === bytes);
        if (file && store.state.keeping === "files") await keeper.keepFile(sha256, file);
      }
    } catch (error) {
      failed = true;
      store.set({ notice: whyNot(error) });
    }
  };
  const soon = atMostEvery(EVERY, () => void save());
  const leave = () => document.hidden && void save();
  document.addEventListener("visibilitychange", leave);
  return all(
    () => document.removeEventListener("visibilitychange", leave),
    store.watch(["keeping"], () => {
      failed = false;
      written = "";
    }),
    store.watch(["status", "scenario", "branches", "files", "keeping"], soon),
  );
}

/** The present run and its other courses. */
async function runsOf(store: Store): Promise<Omit<KeptRun, "saved">[]> {
  const { state } = store;
  const { scenario, base, bases, fill, status, branch, branches } = state;
  if (!scenario || !status) return [];
  const names = courseNames(state);
  const system = systemOf(state)?.name ?? scenario.system;
  const {
    place: _,
    beside: _beside,
    started: _started,
    rivals: _rivals,
    until: _until,
    seeds: _seeds,
    besideAt: _at,
    ...address
  } = bare(addressOf(state));
  const { faults: _faults, ...rest } = scenario;
  const title = scenario.name ?? system;
  const about = (at: number, course: string) =>
    [system, course, `at ${clock(at)}`, status.counts.nodes !== undefined && `${count(status.counts.nodes)} nodes`]
      .filter(Boolean)
      .join(" · ");
  const id = (course: string) => nameOf(JSON.stringify([rest, address.need ?? "", course]));
  const own = {
    id: id(branch > 0 ? names[branch] : ""),
    link: await encodeAddress(address),
    title,
    about: about(status.at, branch > 0 ? names[branch] : ""),
    picture: pictureOf(store),
  };
  const others = await Promise.all(
    otherCourses(state).map(async (course) => {
      const i = Number(course.id.replace("course.", ""));
      const at = branches[i].head;
      const link = await encodeAddress({ ...linkTo(course.scenario, fill, base, bases[base]), need: address.need, at });
      return { id: id(i > 0 ? course.name : ""), link, title, about: about(at, i > 0 ? course.name : ""), picture: "" };
    }),
  );
  return [...others, own];
}

/** The cells as a small picture. */
function pictureOf(store: Store): string {
  const canvas = h("canvas");
  return paintSmall(canvas, store.state) ? canvas.toDataURL("image/png") : "";
}
