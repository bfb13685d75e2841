import { describeStep, type StepEvent } from '../machine/describe-event.js';
import type { RunEvent } from '../machine/event.js';
import type { Outcome } from '../machine/outcome.js';

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
  return `${headOf(event)}${stageOf(event)}${endOf(event)}`;
}

function completedLine(event: Event<'StageCompleted'>): string {
  return `${headOf(event)}${stageOf(event)},"duration":${event.duration},"outcome":${outcomeOf(event.outcome)}${endOf(event)}`;
}

/** A status, or a status and notes, as stages that do nothing have them; the order is that in which they were made. */
function outcomeOf(outcome: Outcome): string {
  let fields = 0;
  for (const key in outcome) {
    if (key !== (fields === 0 ? 'status' : 'notes') || fields > 1) return JSON.stringify(outcome);
    fields += 1;
  }
  const { status, notes } = outcome;
  if (fields === 2 && notes === undefined) return JSON.stringify(outcome);
  return fields === 1 ? `{"status":"${status}"}` : `{"status":"${status}","notes":${JSON.stringify(notes)}}`;
}

function edgeLine(event: Event<'EdgeSelected'>): string {
  if (event.edge === undefined || event.loop_restart) return `${JSON.stringify(event)}\n`;
  const label = event.label === undefined ? '' : `,"label":${quoted(event.label).text}`;
  const condition = event.condition === undefined ? '' : `,"condition":${quoted(event.condition).text}`;
  return `${headOf(event)},"from":${quoted(event.from).text},"to":${quoted(event.to).text},"reason":"${event.reason}","edge":${digits(event.edge)}${label}${condition}${endOf(event)}`;
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
  return `{"seq":${digits(event.seq)},"timestamp":"${event.timestamp}","run_id":${quoted(event.run_id).text},"type":"${event.type}"`;
}

function stageOf(event: Event<'StageStarted' | 'StageCompleted'>): string {
  const { node_id: nodeId, name, index, attempt, visit } = event;
  return `,"node_id":${quoted(nodeId).text},"name":${quoted(name).text},"index":${digits(index)},"attempt":${attempt},"visit":${digits(visit)}`;
}

function endOf(event: Event<'StageStarted' | 'StageCompleted' | 'EdgeSelected'>): string {
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
  readonly text: string;
  readonly within: string;
}

/** Texts that come again and again; two generations, so that those in use stay. */
const remembered = 2000;
const longestRemembered = 200;
let young = new Map<string, Quoted>();
let old = new Map<string, Quoted>();

function quoted(text: string): Quoted {
  const known = young.get(text);
  if (known !== undefined) return known;
  const written = old.get(text) ?? quote(text);
  if (text.length > longestRemembered) return written;
  if (young.size >= remembered) {
    old = young;
    young = new Map();
  }
  young.set(text, written);
  return written;
}

function quote(value: string): Quoted {
  const text = JSON.stringify(value);
  return { text, within: `\\"${text.slice(1, -1)}\\"` };
}
