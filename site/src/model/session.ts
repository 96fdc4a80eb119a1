// Where the page is with its run: one state with what belongs to it. The run's own
// messages are beside it in the store and stay until another run is there.
import type { FromWorker, Status } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";

/** What is asked of an engine, until it opened it. */
export interface Request {
  base: string; // the gallery's id, or ""
  scenario: Scenario;
  files: File[];
  any?: boolean; // the system was not chosen for the files: another may play them
  push: boolean; // a step that the Back button returns from
  at: number; // µs to run to first
  digest: string; // what the run must have there, or ""
  play: boolean; // go on from there
  fork?: number; // the number of its act, from 1, that began it in another course's past
  shared: boolean; // somebody else's moment: it is said how it compares, and the run stands there
  selected: number;
  question?: string; // the gallery's id of a card whose question is shown
}

/** The place in the run that was asked for, until it is reached. */
export type Arrival = Pick<Request, "at" | "digest" | "play" | "shared">;

/** A shared moment that the run stands at. */
export interface Landed {
  asked: number; // µs
  digest: string; // what the link says, or ""
  at: number; // µs: less than asked where the run ends before
  found: string; // the digest there
}

/** How far something long is: bytes, µs, tasks. */
export type Loading = Omit<Extract<FromWorker, { type: "progress" }>, "type">;

/** What became of a link's digest. */
export type Verdict = "" | "checking" | "reproduced" | "differs";

export type Session = Empty | Opening | Running | Broken;

/** Nothing runs, and nothing is asked for. */
export interface Empty {
  is: "empty";
}

/** A run is asked for; the one before goes on. */
export interface Opening {
  is: "opening";
  request: Request;
  before: Empty | Running | Broken;
  loading?: Loading;
}

export interface Running {
  is: "running";
  verdict: Verdict;
  arrival?: Arrival;
  landed?: Landed; // until it goes on
  loading?: Loading; // it seeks
}

/** There is no engine any more; what was opened, or asked for, can be asked of the next one. */
export interface Broken {
  is: "broken";
  again?: Request;
}

export function asked(now: Session, request: Request): Opening {
  return { is: "opening", request, before: now.is === "opening" ? now.before : now };
}

/** A run is there: the one that was asked for, or the same again from its start. */
export function opened(now: Session): Running {
  if (now.is !== "opening") return { is: "running", verdict: "", ...(now.is === "running" && now.arrival ? { arrival: now.arrival } : {}) };
  const { at, digest, play, shared } = now.request;
  return { is: "running", verdict: digest ? "checking" : "", ...(at > 0 ? { arrival: { at, digest, play, shared } } : {}) };
}

export function loading(now: Session, how: Loading): Session {
  return now.is === "opening" || now.is === "running" ? { ...now, loading: how } : now;
}

/** What was asked for cannot be, or is given up: what ran before goes on. */
export function returned(now: Session): Session {
  switch (now.is) {
    case "opening":
      return now.before;
    case "running":
      return { is: "running", verdict: now.verdict === "checking" ? "" : now.verdict };
    default:
      return now;
  }
}

/** The engine ended. again is what runs, as a request. */
export function broken(now: Session, again: Request | undefined): Broken {
  const request = now.is === "opening" ? now.request : now.is === "broken" ? now.again : again;
  return { is: "broken", ...(request ? { again: request } : {}) };
}

/** The run told where it is. */
export function stands(now: Session, { at, ended, playing, seeking, digest }: Status): Session {
  if (now.is !== "running") return now;
  const { arrival, loading: how } = now;
  if (arrival && (at >= arrival.at || ended)) {
    const told = arrival.digest && at === arrival.at ? (digest.startsWith(arrival.digest) ? "reproduced" : "differs") : ""; // "": the moment itself was not seen
    return {
      is: "running",
      verdict: told,
      ...(arrival.shared ? { landed: { asked: arrival.at, digest: arrival.digest, at, found: digest } } : {}),
    };
  }
  if (now.landed && (at !== now.landed.at || playing)) return left(now);
  const { loading: _, ...rest } = now;
  return how && (!seeking || ended) ? rest : now; // not once its time is reached: a seek may be given up for another
}

/** The viewer has seen how the shared moment compares, or went on. */
export function left(now: Running): Running {
  const { landed: _, ...rest } = now;
  return rest;
}

/** How far what is under way is, of any session. */
export function loadingOf(now: Session): Loading | undefined {
  return now.is === "opening" || now.is === "running" ? now.loading : undefined;
}

export function verdictOf(now: Session): Verdict {
  const shown = now.is === "opening" ? now.before : now;
  return shown.is === "running" ? shown.verdict : "";
}

/** The engine is not there. */
export function engineDown(now: Session): boolean {
  return now.is === "broken";
}
