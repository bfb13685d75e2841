import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

export const howToInstall = 'npm ci --prefix bench';

/** LangGraph JS: two nodes that go round, as many super-steps. @param checkpointer where it keeps each of them */
export async function langGraph(home, checkpointer) {
  const { Annotation, END, START, StateGraph } = await import('@langchain/langgraph');
  const State = Annotation.Root({ done: Annotation(), limit: Annotation() });
  const step = ({ done }) => ({ done: done + 1 });
  const graph = new StateGraph(State)
    .addNode('a', step)
    .addNode('b', step)
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addConditionalEdges('b', ({ done, limit }) => (done < limit ? 'a' : END), ['a', END])
    .compile({ checkpointer: await checkpointer?.(home) });
  let threads = 0;
  return async (steps) => {
    threads += 1;
    const config = { recursionLimit: steps + 10, configurable: { thread_id: String(threads) } };
    const { done } = await graph.invoke({ done: 0, limit: steps }, config);
    if (done !== steps) throw new Error(`LangGraph took ${done} steps instead of ${steps}`);
  };
}

export async function sqliteSaver(home) {
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  return SqliteSaver.fromConnString(join(mkdtempSync(join(home, 'sqlite-')), 'checkpoints.db'));
}

/** XState: two states that go round, each invoking a promise; nothing is kept. */
export async function xstateInvoke() {
  const { assign, createActor, fromPromise, setup, toPromise } = await import('xstate');
  const nothing = fromPromise(async () => undefined);
  const count = assign({ done: ({ context }) => context.done + 1 });
  const machine = setup({ actors: { nothing }, actions: { count } }).createMachine({
    context: ({ input }) => ({ done: 0, limit: input.limit }),
    initial: 'a',
    states: {
      a: { invoke: { src: 'nothing', onDone: { target: 'b', actions: 'count' } } },
      b: {
        invoke: {
          src: 'nothing',
          onDone: [
            {
              guard: ({ context }) => context.done + 1 < context.limit,
              target: 'a',
              actions: 'count',
            },
            { target: 'done', actions: 'count' },
          ],
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => context.done,
  });
  return async (steps) => {
    const actor = createActor(machine, { input: { limit: steps } });
    const end = toPromise(actor);
    actor.start();
    const done = await end;
    if (done !== steps) throw new Error(`XState took ${done} steps instead of ${steps}`);
  };
}
