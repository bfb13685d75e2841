import { describeStep, type StepEvent } from '../machine/describe-event.js';
import type { RunEvent } from '../machine/event.js';
import type { Outcome } from '../machine/outcome.js';
import { jsonOfText } from '../run-directory/json-of-text.js';

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/**
 * An event as a line of the journal: exactly what `JSON.stringify` gives, and a line break. The events of every step are
 * put together from parts that are the same each time, because writing them takes longer than all the rest of a no-op step.
 */
export function eventLine(event: RunEvent): string {
  switch (event.type) {
    case 'StageStarted':
      return startedLine(event);
    case 'StageCompleted':
      return completedLine(event);
    case 'EdgeSelected':
      return edgeLine(event);
    case 'ParallelBranchStarted':
      if ('resumed' in event) return `${JSON.stringify(event)}\n`;
      return `${headOf(event)}${branchOf(event)}${parentOf(event)}${descriptionOf(event)}`;
    case 'ParallelBranchCompleted':
      return branchLine(event);
    default:
      return `${JSON.stringify(event)}\n`;
  }
}

function startedLine(event: Event<'StageStarted'>): string {
  if (event.resumed || event.fidelity !== undefined) return `${JSON.stringify(event)}\n`;
  if (event.visit === 1 || event.attempt > 1) return `${headOf(event)}${stageOf(event)}${endOf(event)}`;
  const { started, startedEnd } = stageParts(event);
  return `${beginningOf(event)}${started}${digits(event.index)},"attempt":1,"visit":${digits(event.visit)}${startedEnd}`;
}

function completedLine(event: Event<'StageCompleted'>): string {
  const { index, attempt, visit, duration } = event;
  const outcome = outcomeOf(event.outcome);
  if (event.commit !== undefined) return `${JSON.stringify(event)}\n`;
  if (visit === 1) {
    return `${headOf(event)}${stageOf(event)},"duration":${duration},"outcome":${outcome}${endOf(event)}`;
  }
  const { completed, succeededEnd } = stageParts(event);
  const end = event.outcome.status === 'success' ? succeededEnd : endOf(event);
  return `${beginningOf(event)}${completed}${digits(index)},"attempt":${attempt},"visit":${digits(visit)},"duration":${duration},"outcome":${outcome}${end}`;
}

/** A status, or a status and notes, as stages that do nothing have them; the order is that in which they were made. */
function outcomeOf(outcome: Outcome): string {
  let fields = 0;
  for (const key in outcome) {
    if (key !== (fields === 0 ? 'status' : 'notes') || fields > 1) return JSON.stringify(outcome);
    fields += 1;
  }
  const { status, notes } = outcome;
  if (fields === 2 && typeof notes !== 'string') return JSON.stringify(outcome);
  if (fields === 1 || notes === undefined) return `{"status":"${status}"}`;
  return `{"status":"${status}","notes":${jsonOfText(notes)}}`;
}

function edgeLine(event: Event<'EdgeSelected'>): string {
  if (event.edge === undefined || event.loop_restart) return `${JSON.stringify(event)}\n`;
  return `${beginningOf(event)}${knownEdge(event, event.edge)?.rest ?? edgeRest(event, event.edge)}`;
}

/** All of the line of an edge that is the same each time it is taken. */
interface KnownEdge {
  readonly event: Event<'EdgeSelected'>;
  readonly rest: string;
}

/** The edges taken last, each in the place that its number gives it. */
const edgeSlots = 256;
const edgesTaken = new Int32Array(edgeSlots).fill(-1);
const knownEdges = Array.from({ length: edgeSlots }, (): KnownEdge | undefined => undefined);

/** Undefined for the first time, because most edges of a wide fan-out are taken once. */
function knownEdge(event: Event<'EdgeSelected'>, edge: number): KnownEdge | undefined {
  const slot = edge % edgeSlots;
  if (edgesTaken[slot] !== edge) {
    edgesTaken[slot] = edge;
    return undefined;
  }
  const known = knownEdges[slot];
  if (known !== undefined && isSameEdge(known.event, event)) return known;
  const taken = { event, rest: flat(edgeRest(event, edge)) };
  knownEdges[slot] = taken;
  return taken;
}

function isSameEdge(one: Event<'EdgeSelected'>, other: Event<'EdgeSelected'>): boolean {
  return (
    one.edge === other.edge &&
    one.from === other.from &&
    one.to === other.to &&
    one.reason === other.reason &&
    one.label === other.label &&
    one.condition === other.condition &&
    one.branch === other.branch &&
    one.run_id === other.run_id
  );
}

function edgeRest(event: Event<'EdgeSelected'>, edge: number): string {
  const label = event.label === undefined ? '' : `,"label":${quoted(event.label).text}`;
  const condition = event.condition === undefined ? '' : `,"condition":${quoted(event.condition).text}`;
  return `${originOf(event)},"from":${quoted(event.from).text},"to":${quoted(event.to).text},"reason":"${event.reason}","edge":${digits(edge)}${label}${condition}${endOf(event)}`;
}

function branchLine(event: Event<'ParallelBranchCompleted'>): string {
  if (event.error !== undefined) return `${JSON.stringify(event)}\n`;
  return `${headOf(event)}${branchOf(event)},"duration":${event.duration},"success":${event.success},"status":"${event.status}"${parentOf(event)}${descriptionOf(event)}`;
}

type BranchEvent = Event<'ParallelBranchStarted' | 'ParallelBranchCompleted'>;

function branchOf({ branch, index, node_id: nodeId }: BranchEvent): string {
  return `,"branch":${quoted(branch).text},"index":${digits(index)},"node_id":${quoted(nodeId).text}`;
}

function parentOf({ parent }: BranchEvent): string {
  return parent === undefined ? '' : `,"parent":${quoted(parent).text}`;
}

function headOf(event: RunEvent): string {
  return `${beginningOf(event)}${originOf(event)}`;
}

function beginningOf(event: RunEvent): string {
  return `{"seq":${digits(event.seq)},"timestamp":"${event.timestamp}`;
}

/** By type, of the run that was last written. */
const origins = new Map<RunEvent['type'], string>();
let originRun: string | undefined;

/** From the end of the timestamp on: the same for all events of a type. */
function originOf({ run_id: runId, type }: RunEvent): string {
  if (runId !== originRun) {
    originRun = runId;
    origins.clear();
  }
  const known = origins.get(type);
  if (known !== undefined) return known;
  const origin = flat(`","run_id":${quoted(runId).text},"type":"${type}"`);
  origins.set(type, origin);
  return origin;
}

type StageEvent = Event<'StageStarted' | 'StageCompleted'>;

function stageOf(event: StageEvent): string {
  const { index, attempt, visit } = event;
  return `${nameOf(event)}${digits(index)},"attempt":${attempt},"visit":${digits(visit)}`;
}

function nameOf({ node_id: nodeId, name }: StageEvent): string {
  return `,"node_id":${quoted(nodeId).text},"name":${quoted(name).text},"index":`;
}

/** What the lines of a stage have in common, visit after visit: fewer parts are put together faster. */
interface StageParts {
  readonly run_id: string;
  readonly name: string;
  readonly branch: string | undefined;
  readonly started: string;
  readonly startedEnd: string;
  readonly completed: string;
  readonly succeededEnd: string;
}

const stagesKnown = 500;
const partsOfStages = new Map<string, StageParts>();

function stageParts(event: StageEvent): StageParts {
  const known = partsOfStages.get(event.node_id);
  if (
    known !== undefined &&
    known.name === event.name &&
    known.branch === event.branch &&
    known.run_id === event.run_id
  ) {
    return known;
  }
  const { run_id, name, branch } = event;
  const started = { ...event, type: 'StageStarted', attempt: 1 } as Event<'StageStarted'>;
  const completed = {
    ...event,
    type: 'StageCompleted',
    outcome: { status: 'success' },
  } as Event<'StageCompleted'>;
  const parts: StageParts = {
    run_id,
    name,
    branch,
    started: flat(`${originOf(started)}${nameOf(event)}`),
    startedEnd: flat(endOf(started)),
    completed: flat(`${originOf(completed)}${nameOf(event)}`),
    succeededEnd: flat(endOf(completed)),
  };
  if (partsOfStages.size >= stagesKnown) partsOfStages.clear();
  partsOfStages.set(event.node_id, parts);
  return parts;
}

/** The same text, not as a tree of what it was put together from: to look at its characters makes it one. */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}

function endOf(event: StageEvent | Event<'EdgeSelected'>): string {
  return event.branch === undefined
    ? descriptionOf(event)
    : `,"branch":${quoted(event.branch).text}${descriptionOf(event)}`;
}

function descriptionOf(event: StepEvent): string {
  return `,"description":"${describeStep(event, nameInText)}"}\n`;
}

function nameInText(name: string): string {
  return quoted(name).within;
}

const smallNumbers = Array.from({ length: 1000 }, (_, number) => String(number));
const lastThreeDigits = smallNumbers.map((text) => text.padStart(3, '0'));

/**
 * A number that counts something. JavaScript remembers the texts of numbers, so that of numbers that come once each all
 * outlive their line.
 */
function digits(count: number): string {
  const small = smallNumbers[count];
  if (small !== undefined) return small;
  return `${digits(Math.floor(count / 1000))}${lastThreeDigits[count % 1000]}`;
}

/** A text as JSON, and what it is, in quotation marks, within another one. */
interface Quoted {
  readonly source: string;
  readonly text: string;
  readonly within: string;
}

/**
 * Texts that come again and again, each in the place that its length and its last characters give it: of a fan-out in which
 * every name comes a dozen times and never again, nothing is left for the collector to carry along.
 */
const quotedSlots = 1024;
const longestRemembered = 200;
const quotedTexts = Array.from({ length: quotedSlots }, (): Quoted | undefined => undefined);

function quoted(text: string): Quoted {
  const slot = quotedSlotOf(text);
  const known = quotedTexts[slot];
  if (known !== undefined && known.source === text) return known;
  const written = quote(text);
  if (text.length <= longestRemembered) quotedTexts[slot] = written;
  return written;
}

/** Names differ mostly in their ends, by a number. */
function quotedSlotOf(text: string): number {
  const { length } = text;
  let hash = length;
  for (let index = Math.max(0, length - 4); index < length; index += 1) {
    hash = (hash * 31 + text.charCodeAt(index)) | 0;
  }
  return hash & (quotedSlots - 1);
}

function quote(source: string): Quoted {
  const text = jsonOfText(source);
  return { source, text, within: `\\"${text.slice(1, -1)}\\"` };
}
