import { expect, test, vi } from 'vitest';
import type { BackendCall, CodergenBackend } from '../../../src/handlers/codergen-backend.js';
import { StageSuspension } from '../../../src/handlers/handler.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { evolve } from '../../../src/machine/evolve/evolve.js';
import { initialState } from '../../../src/machine/state.js';
import { buildPreamble } from '../../../src/run/preamble/preamble.js';
import { preambleMaterial } from '../../../src/run/preamble/preamble-material.js';
import { historyOf } from '../../../src/run/preamble/run-history.js';
import { autoApproveInterviewer } from '../../../src/run/questions/auto-approve.js';
import { outcomeSequences, pipelines } from '../../machine/arbitrary-program.js';
import {
  failingBranches,
  listOf,
  programOf,
  resumePipeline,
  runPipeline,
  type Setup,
} from '../../run/harness.js';
import { fc, runsOf } from '../../support/fast-check.js';

// SEMANTICS 124: whatever a stage would read under `compact`, its conversation has under `full`: in earlier prompts, or in its own.

const numRuns = runsOf(120);

vi.setConfig({ testTimeout: 120_000 + 3000 * numRuns });

/** What becomes of one call: decided by numbers, so that every call of every run differs. */
const turns = fc.array(fc.nat({ max: 99 }), { minLength: 1, maxLength: 30 });

/** Threads of stages by number; the rest goes by the stage before. */
const threads = fc.array(fc.constantFrom('', 'a', 'b'), { minLength: 1, maxLength: 8 });

test('124: for any pipeline, full never tells less than compact', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.record({ dot: pipelines, sequence: outcomeSequences, turns, threads, isNamed: fc.boolean() }),
      async (given) => {
        const dot = withThreads(given.dot, given.threads, given.isNamed);
        const witness = new Witness(dot, given.turns, seen);
        let executed = 0;
        const outcome = () => {
          executed += 1;
          const [status = 'success'] = given.sequence.flatMap((one, index) =>
            index === executed % given.sequence.length ? [one.status] : [],
          );
          return status === 'fail'
            ? ({ status, failure_reason: `red ${executed}` } as const)
            : {
                status: 'success' as const,
                notes: `green ${executed}`,
                context_updates: { [`t${executed % 3}`]: executed },
              };
        };
        const setup: Setup = {
          backend: witness.backend,
          interviewer: autoApproveInterviewer,
          handlers: { tool: outcome },
          ruleSettings: failingBranches,
          onEvent: (event) => witness.events.push(event),
          inputs: { [listOf(1)]: ['x'], [listOf(2)]: ['x', 'y'], [listOf(3)]: ['x', 'y', 'z'] },
        };
        const { directory, result } = await runPipeline(dot, setup);
        let { status } = result;
        for (let resumed = 0; status === 'paused' && resumed < 4; resumed += 1) {
          const { inputs: _, ...again } = setup;
          status = (await resumePipeline(directory, again)).result.status;
        }
        expect(witness.problems).toEqual([]);
      },
    ),
    { numRuns },
  );
  expect([...seen].sort()).toEqual(['continued', 'in a branch', 'lost', 'new', 'resumed']);
});

function withThreads(dot: string, names: readonly string[], isNamed: boolean): string {
  const ids = [...new Set(dot.match(/\bn\d+\b/g))];
  const own = ids.flatMap((id, index) => {
    const name = names[index % names.length];
    return name === undefined || name === '' ? [] : [`${id} [thread_id=${name}]`];
  });
  const graph = `graph [goal="Win the game", default_fidelity=full${isNamed ? ', default_thread_id=main' : ''}]`;
  return dot.replace(/\}\s*$/, `${[graph, ...own].join('\n')}\n}`);
}

/** Backend that keeps conversations, and compares what each has with what `compact` would say at the same time. */
class Witness {
  readonly events: RunEvent[] = [];
  readonly problems: string[] = [];
  readonly backend: CodergenBackend = {
    run: (node, prompt, _context, call) => this.#run(node.id, prompt, call),
  };
  readonly #dot: string;
  readonly #turns: readonly number[];
  readonly #seen: Set<string>;
  readonly #conversations = new Map<string, string>();
  #calls = 0;

  constructor(dot: string, given: readonly number[], seen: Set<string>) {
    this.#dot = dot;
    this.#turns = given;
    this.#seen = seen;
  }

  async #run(id: string, given: string, call: BackendCall) {
    // A fan-in asks for a candidate, outside of all conversations.
    if (call.fidelity === undefined) return 'any';
    const chance = this.#turns[this.#calls % this.#turns.length] ?? 0;
    this.#calls += 1;
    const known = call.fidelity === 'full' ? call.session?.session_id : undefined;
    const isLost = known !== undefined && chance % 4 === 0;
    const prompt = isLost ? ((await call.promptForNewSession?.()) ?? given) : given;
    const before = known === undefined || isLost ? '' : (this.#conversations.get(known) ?? '');
    const name = before === '' || known === undefined ? `c${this.#calls}` : known;
    const conversation = `${before}\n${prompt}`;
    if (call.fidelity === 'full') this.#seen.add(isLost ? 'lost' : before === '' ? 'new' : 'continued');
    if (this.events.some(({ type }) => type === 'PipelineResumed')) this.#seen.add('resumed');
    await this.#compare(id, conversation, call);
    // Before the conversation includes the stage: some backends forget it then, others do not.
    if (chance % 11 === 1) throw new StageSuspension('interrupted');
    if (chance % 5 === 1) {
      if (chance % 2 === 0) this.#conversations.set(name, conversation);
      call.report({ kind: 'session_started', backend: 'test', session_id: name });
      throw Object.assign(new Error(`broken off ${this.#calls}`), { retryable: chance % 3 > 0 });
    }
    const [key, value] = [`m${this.#calls % 3}`, this.#calls];
    this.#conversations.set(name, `${conversation}\n[turn ${id} ${call.visit}]\n[set ${key}: ${value}]`);
    call.report({ kind: 'session_started', backend: 'test', session_id: name, includes_stage: true });
    return {
      response: `answer ${this.#calls}`,
      outcome: {
        status: chance % 13 === 2 ? ('fail' as const) : ('success' as const),
        context_updates: { [key]: value },
      },
    };
  }

  async #compare(id: string, conversation: string, { visit, attempt }: BackendCall): Promise<void> {
    const program = programOf(this.#dot, [], failingBranches);
    const state = this.events.reduce((before, event) => evolve(program, before, event), initialState);
    const history = historyOf(program);
    for (const event of this.events) history?.add(event);
    const cursor = [...state.cursors.values()].find((one) => one.nodeId === id && one.visit === visit);
    if (history === undefined || cursor === undefined) throw new Error(`no cursor is at ${id}`);
    if (cursor.branch !== undefined) this.#seen.add('in a branch');
    const execution = { cursor: cursor.id, nodeId: id, visit, attempt };
    const compact = await buildPreamble('compact', preambleMaterial(program, state, history, execution));
    const lines = conversation.split('\n');
    for (const line of compact.split('\n')) {
      const fact = line.replace(/…$/, '').replace(/^- /, '');
      if (line === fact || /^(?:Run|Your stage|… and)/.test(fact) || isTold(fact, lines)) continue;
      this.problems.push(`${id}, visit ${visit}, attempt ${attempt}, is not told: ${fact}\n${conversation}`);
    }
  }
}

function isTold(fact: string, lines: readonly string[]): boolean {
  const [, id, visit = 1] =
    /^(\w+): success(?: \((?:visit (\d+))?(?:, )?(?:after \d+ retr(?:y|ies))?\))?(?: – |$)/.exec(fact) ?? [];
  const isOwn = id !== undefined && lines.includes(`[turn ${id} ${visit}]`);
  return (
    isOwn || lines.includes(`[set ${fact}]`) || lines.some((line) => line.replace(/^- /, '').startsWith(fact))
  );
}
