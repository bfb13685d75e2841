import { expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { readConversation } from '../../src/run-directory/conversation-file.js';
import { pipeline } from '../run/harness.js';
import { submitted, type TestCluster } from './harness.js';
import { died, turns } from './spreading.js';

const words = { kind: 'steer', id: 's', stage: 'one', text: 'Use PostgreSQL.', by: 'Ann' } as const;
const line = pipeline('one', 'start -> one -> exit');

/** An agent that works on after it has heard words, and reports nothing more. */
class ListeningAgent {
  readonly heard: string[] = [];
  isOpen = false;
  answers = false;

  get backend(): CodergenBackend {
    return {
      run: async (_node, _prompt, _context, { steering, conversation, signal }) => {
        const isLater = conversation?.earlier !== undefined;
        await conversation?.begin({ backend: 'agent', continues: isLater, recordsTurns: false });
        steering?.open();
        this.isOpen = true;
        await turns(() => {
          for (const { id, text, by } of steering?.waiting ?? []) {
            conversation?.add({ kind: 'person', text, steering_id: id, by });
            steering?.delivered(id);
            this.heard.push(text);
          }
          return signal.aborted || (this.answers && this.heard.length > 0);
        });
        return 'answered';
      },
    };
  }
}

/** True if it is recorded that the words were heard. */
function isRecorded({ engine }: TestCluster): boolean {
  return engine.events.some(({ type }) => type === 'SteeringDelivered');
}

/** A run whose agent has heard the words, and has not answered. */
async function hearing() {
  const agent = new ListeningAgent();
  const cluster = await submitted(line, { backend: agent.backend });
  const first = cluster.work().catch(died);
  await turns(() => agent.isOpen);
  cluster.engine.send(words);
  await turns(() => isRecorded(cluster));
  return { agent, cluster, first };
}

test('words that an agent has heard are recorded at once, and the next worker does not say them again', async () => {
  const { agent, cluster, first } = await hearing();
  cluster.engine.die();
  agent.answers = true;
  expect((await cluster.work()).view.status).toBe('success');
  expect(agent.heard).toEqual(['Use PostgreSQL.']);
  void first;
});

test('what an agent has heard is in its conversation wherever the run continues', async () => {
  const { cluster, first } = await hearing();
  const { engine, store } = cluster;
  const files = engine.batches.flatMap((batch) => batch.files ?? []);
  const stored = files.findLast(({ path }) => path === 'one/conversation.jsonl');
  const bytes = stored?.kind === 'stored' ? store.contents.get(stored.sha256) : undefined;
  const { entries } = readConversation(bytes ?? new Uint8Array());
  expect(entries.at(-1)).toMatchObject({ kind: 'person', steering_id: 's', text: 'Use PostgreSQL.' });
  engine.die();
  void first;
});
