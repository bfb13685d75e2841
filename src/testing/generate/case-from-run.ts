import { attributeText } from '../../graph/graph.js';
import type { JsonValue } from '../../graph/json.js';
import { perObject } from '../../graph/per-object.js';
import type { Program } from '../../graph/program.js';
import type { RunEvent } from '../../machine/event.js';
import type { Answer } from '../../machine/interview.js';
import type { Outcome } from '../../machine/outcome.js';
import type { ScriptEntry, SimulationScript } from '../../run-directory/simulation-script.js';

/** Script that plays again what the stages of a run have said, and people have answered. */
export function scriptOfEvents(program: Program, events: Iterable<RunEvent>): SimulationScript {
  const nodes = new Map<string, ScriptEntry[]>();
  const answers = new Map<string, string[]>();
  for (const event of events) {
    switch (event.type) {
      case 'StageCompleted':
      case 'StageFailed':
        add(nodes, event.node_id, entryOf(program, event.outcome));
        break;
      case 'StageSkipped':
        if (event.stopped !== true) add(nodes, event.node_id, entryOf(program, event.outcome));
        break;
      case 'InterviewCompleted':
        add(answers, event.stage, typed(event.answer));
        break;
    }
  }
  const scripted = [...nodes].filter(([id, entries]) => isWork(program, id) && entries.some(isUnusual));
  const asked = [...answers].filter(([id]) => program.nodes.get(id)?.handler.type === 'wait.human');
  return { nodes: new Map(scripted), answers: new Map(asked) };
}

/** Stages of a run in the order of their visits. */
export function begunStages(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'StageStarted' && event.attempt === 1 && event.resumed !== true ? [event.node_id] : [],
  );
}

function add<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** False for a node that the simulator plays itself: gates by their answers, branches by their stages. */
function isWork(program: Program, id: string): boolean {
  const handler = program.nodes.get(id)?.handler;
  return handler !== undefined && !handler.instant && !handler.forks && handler.type !== 'wait.human';
}

function isUnusual({ outcome, ...details }: ScriptEntry): boolean {
  return outcome !== 'success' || Object.values(details).some((value) => value !== undefined);
}

function entryOf(program: Program, outcome: Outcome): ScriptEntry {
  const { status, reported, preferred_label, suggested_next_ids, context_updates = {} } = outcome;
  const { failure_reason, retryable, failure_category } = outcome;
  const updates = Object.entries(context_updates).filter(([key]) => matters(program, key));
  // The rules of the node judge it again.
  const isOwnFailure = reported === undefined;
  const said = {
    outcome: reported ?? status,
    preferred_label,
    suggested_next_ids,
    context_updates: updates.length === 0 ? undefined : Object.fromEntries<JsonValue>(updates),
    failure_reason: isOwnFailure ? failure_reason : undefined,
    retryable: isOwnFailure ? retryable : undefined,
    failure_category: isOwnFailure ? failure_category : undefined,
  };
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== undefined),
  ) as unknown as ScriptEntry;
}

/** False for what every stage of its kind sets, if the pipeline does not read it. */
function matters(program: Program, key: string): boolean {
  if (key === 'last_stage' || key === 'last_response') return false;
  return !key.startsWith('tool.') || textOf(program).includes(key);
}

const textOf = perObject(({ graph }: Program): string => {
  const owners = [...graph.nodes.values(), ...graph.edges];
  const values = owners.flatMap(({ attributes }) =>
    [...attributes.values()].map(({ value }) => attributeText(value)),
  );
  return values.join('\n');
});

/** An answer as a person types it. */
function typed({ value, selected_option: selected, text }: Answer): string {
  const choice = selected?.key ?? String(value);
  return text === undefined || text === '' ? choice : `${choice}\t${text}`;
}
