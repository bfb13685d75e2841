import type { RunEvent, StageCompleted } from '../machine/event.js';

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
      return `${headOf(event)}${branchOf(event)}${parentOf(event)},"description":${quoted(event.description)}}\n`;
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

function completedLine(event: StageCompleted & RunEvent): string {
  const { outcome } = event;
  return `${headOf(event)}${stageOf(event)},"duration":${event.duration},"outcome":${JSON.stringify(outcome)}${endOf(event)}`;
}

function edgeLine(event: Event<'EdgeSelected'>): string {
  if (event.edge === undefined || event.loop_restart) return `${JSON.stringify(event)}\n`;
  const label = event.label === undefined ? '' : `,"label":${quoted(event.label)}`;
  const condition = event.condition === undefined ? '' : `,"condition":${quoted(event.condition)}`;
  return `${headOf(event)},"from":${quoted(event.from)},"to":${quoted(event.to)},"reason":"${event.reason}","edge":${event.edge}${label}${condition}${endOf(event)}`;
}

function branchLine(event: Event<'ParallelBranchCompleted'>): string {
  const error = event.error === undefined ? '' : `,"error":${quoted(event.error)}`;
  return `${headOf(event)}${branchOf(event)},"duration":${event.duration},"success":${event.success},"status":"${event.status}"${error}${parentOf(event)},"description":${quoted(event.description)}}\n`;
}

type BranchEvent = Event<'ParallelBranchStarted' | 'ParallelBranchCompleted'>;

function branchOf({ branch, index, node_id: nodeId }: BranchEvent): string {
  return `,"branch":${quoted(branch)},"index":${index},"node_id":${quoted(nodeId)}`;
}

function parentOf({ parent }: BranchEvent): string {
  return parent === undefined ? '' : `,"parent":${quoted(parent)}`;
}

function headOf(event: RunEvent): string {
  return `{"seq":${event.seq},"timestamp":"${event.timestamp}","run_id":${quoted(event.run_id)},"type":"${event.type}"`;
}

function stageOf(event: Event<'StageStarted' | 'StageCompleted'>): string {
  const { node_id: nodeId, name, index, attempt, visit } = event;
  return `,"node_id":${quoted(nodeId)},"name":${quoted(name)},"index":${index},"attempt":${attempt},"visit":${visit}`;
}

function endOf(event: Event<'StageStarted' | 'StageCompleted' | 'EdgeSelected'>): string {
  const branch = event.branch === undefined ? '' : `,"branch":${quoted(event.branch)}`;
  return `${branch},"description":${quoted(event.description)}}\n`;
}

/** Texts that come again and again, as JSON; two generations, so that those in use stay. */
const remembered = 2000;
const longestRemembered = 200;
let young = new Map<string, string>();
let old = new Map<string, string>();

function quoted(text: string): string {
  const known = young.get(text);
  if (known !== undefined) return known;
  if (text.length > longestRemembered) return JSON.stringify(text);
  const written = old.get(text) ?? JSON.stringify(text);
  if (young.size >= remembered) {
    old = young;
    young = new Map();
  }
  young.set(text, written);
  return written;
}
