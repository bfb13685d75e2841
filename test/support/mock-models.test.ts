import { expect, test } from 'vitest';
import { testEach } from '../run/harness.js';
import { mockModels, says } from './mock-models.js';

/** As coding agents ask for the title of a session, and for what its person might say next. */
const asides = [
  {
    name: 'of Claude Code',
    path: '/v1/messages',
    system: 'Generate a concise, sentence-case title (3-7 words) that captures the main topic.',
  },
  {
    name: 'of OpenCode',
    path: '/v1/chat/completions',
    system: 'You are a title generator. You output ONLY a thread title.',
  },
  {
    name: 'of Codex',
    path: '/v1/chat/completions',
    user: "Your task is to generate a very short title for a conversation based on the user's first message.",
  },
  {
    name: 'of Codex, for the next message',
    path: '/v1/chat/completions',
    user: 'This is an app-generated request for a suggested next user message. The user did not write this message.',
  },
];

const tool = { name: 'Write', description: 'Writes a file', input_schema: { type: 'object' } };

testEach(asides, async ({ path, system, user }) => {
  const { url, requests } = await mockModels([says('First.'), says('Second.')]);
  const ask = async (content: string, more: object): Promise<string> => {
    const messages = [{ role: 'user', content }];
    const body = { model: 'm', max_tokens: 9, messages, ...more };
    const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return answer.text();
  };
  const wish = user === undefined ? { role: 'system', content: system } : { role: 'user', content: user };
  const titled = path === '/v1/messages' ? { system } : { messages: [wish] };
  expect(await ask('Say hello', titled)).toContain('A title');
  const work = path === '/v1/messages' ? { system: 'You are an agent.', tools: [tool] } : {};
  expect(await ask('Say hello', work)).toContain('First.');
  expect(await ask('Say hello', titled)).toContain('A title');
  expect(await ask('And again', work)).toContain('Second.');
  expect(requests().map(({ body }) => body.messages.at(-1)?.content)).toEqual(['Say hello', 'And again']);
});

test('a prompt about titles takes a turn like any other', async () => {
  const { url } = await mockModels([says('Done.')]);
  const body = { model: 'm', messages: [{ role: 'user', content: 'Write a sentence-case title' }] };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  expect(await answer.text()).toContain('Done.');
});
