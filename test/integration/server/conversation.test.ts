import { appendFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sealed } from '../../../src/run-directory/hashed-line.js';
import type { ConversationPage } from '../../../src/view/conversation/conversation-page.js';
import { type AskedServer, askedServer } from '../../server/asked-server.js';
import { calls, mockModels, says } from '../../support/mock-models.js';

// SEMANTICS 123 over HTTP: conversations of any length in pages, and nothing from elsewhere.

const at = '2026-01-01T00:00:00.000Z';
const key = `sk-ant-api03-${'a1B2'.repeat(20)}`;

const looped = `digraph looped {
  start [shape=Mdiamond]; done [shape=Msquare]
  work [prompt="Use ${key}"]; never [prompt="Nobody comes here"]
  start -> work
  work -> done [label="ready"]
  work -> work [label="again"]
  never -> done
  start -> never [condition="outcome=fail"]
}`;

interface Ran {
  readonly server: AskedServer;
  readonly id: string;
  /** File of the latest visit. */
  readonly file: string;
  page(query?: string, stage?: string): Promise<Response>;
}

/** A run whose stage `work` was visited twice. */
async function ranTwice(): Promise<Ran> {
  const outcome = (preferred_label: string) =>
    calls(['report_outcome', { outcome: 'success', preferred_label }]);
  const mock = await mockModels([
    says('Not yet.'),
    outcome('again'),
    says(`Done with ${key}.`),
    outcome('ready'),
  ]);
  const server = await askedServer({
    extensions: { config: false, provider: 'anthropic', model: 'claude-sonnet-4-5' },
    variables: mock.variables,
  });
  const id = await server.run(looped);
  await server.until(id, 'success');
  return {
    server,
    id,
    file: path.join(server.parts.registry.directory(id), 'work/conversation.jsonl'),
    page: (query = '', stage = 'work') => server.ask(`/pipelines/${id}/stages/${stage}/conversation${query}`),
  };
}

const read = async (answer: Response): Promise<ConversationPage> => {
  expect(answer.status).toBe(200);
  return (await answer.json()) as ConversationPage;
};

async function* pagesOf({ page }: Ran, query = ''): AsyncGenerator<ConversationPage> {
  for (let after = 0, hasMore = true; hasMore; ) {
    const one = await read(await page(`?after=${after}${query}`));
    yield one;
    hasMore = one.has_more;
    after = one.next;
  }
}

const line = (text: string): string => `${sealed(JSON.stringify({ kind: 'user', at, text }))}\n`;

describe('123: the conversation of a stage over HTTP', () => {
  it('is that of each visit, without secrets', async () => {
    const ran = await ranTwice();
    for (const [query, visit, words] of [
      ['', 2, 'Done with'],
      ['?visit=2', 2, 'Done with'],
      ['?visit=1', 1, 'Not yet.'],
    ] as const) {
      const page = await read(await ran.page(query));
      expect(page).toMatchObject({ visit, has_more: false, damaged: 0, next: page.size });
      const kinds = page.entries.map(({ kind }) => kind);
      expect(kinds).toEqual(expect.arrayContaining(['begun', 'user', 'assistant', 'tool_result', 'usage']));
      expect(kinds.at(-1)).toBe('answered');
      const text = JSON.stringify(page);
      expect(text).toContain(words);
      expect(text).not.toContain(key);
      expect(text).not.toContain('"hash"');
    }
  });

  it('comes in pages, each entry once and in order, and grows', async () => {
    const ran = await ranTwice();
    appendFileSync(ran.file, Array.from({ length: 10 }, (_, index) => line(`${index}`)).join(''));
    const pages: ConversationPage[] = [];
    for await (const page of pagesOf(ran, '&limit=4')) pages.push(page);
    expect(pages.slice(0, -1).every(({ entries }) => entries.length === 4)).toBe(true);
    expect(pages.length).toBeGreaterThan(3);
    const whole = await read(await ran.page());
    expect(pages.flatMap(({ entries }) => entries)).toEqual(whole.entries);
    const next = `?after=${whole.next}`;
    expect(await read(await ran.page(next))).toMatchObject({
      entries: [],
      next: whole.next,
      has_more: false,
    });
    const more = line('more');
    appendFileSync(ran.file, more.slice(0, 20));
    expect(await read(await ran.page(next))).toMatchObject({
      entries: [],
      next: whole.next,
      has_more: false,
    });
    appendFileSync(ran.file, more.slice(20));
    expect(await read(await ran.page(next))).toMatchObject({ entries: [{ text: 'more' }], damaged: 0 });
  });

  it('that is not there is refused with the reason', async () => {
    const ran = await ranTwice();
    for (const [query, stage, status, message] of [
      ['', 'wrk', 404, 'the pipeline has no stage "wrk"'],
      ['?visit=3', 'work', 404, 'stage "work" has no visit 3: there are visits 1 to 2'],
      ['', 'never', 404, 'stage "never" has not been visited'],
      ['?visit=0', 'work', 400, 'visit'],
      ['?after=9999999', 'work', 400, 'has no page after byte 9999999: it has '],
      ['?after=7', 'work', 400, 'has no page after byte 7: no entry begins there'],
      ['?after=-1', 'work', 400, 'after'],
      ['?limit=0', 'work', 400, 'limit'],
      ['?from=0', 'work', 400, 'from'],
    ] as const) {
      const answer = await ran.page(query, stage);
      const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
      expect([answer.status, error.message]).toEqual([status, expect.stringContaining(message)]);
    }
    expect(await read(await ran.page('', 'start'))).toMatchObject({ entries: [], size: 0, next: 0 });
    rmSync(ran.file);
    expect(await read(await ran.page())).toMatchObject({ entries: [], size: 0, has_more: false });
    expect((await ran.page('?after=100')).status).toBe(400);
  });

  it('with damage is read around it', async () => {
    const ran = await ranTwice();
    const good = line('before');
    const changed = line('is changed').replace('is', 'is not');
    writeFileSync(
      ran.file,
      `${good}${changed}\u0000\n{"kind":"nonsense"}\n\n${line('after')}${good.slice(0, 9)}`,
    );
    const page = await read(await ran.page());
    expect(page.entries).toMatchObject([{ text: 'before' }, { text: 'after' }]);
    expect(page).toMatchObject({ damaged: 4, has_more: false });
  });

  it('is no link to a file of somebody else', async () => {
    const ran = await ranTwice();
    const secret = path.join(path.dirname(ran.server.parts.registry.directory(ran.id)), 'secret.jsonl');
    writeFileSync(secret, line('secret'));
    rmSync(ran.file);
    symlinkSync(secret, ran.file);
    const answer = await ran.page();
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('"text"');
  });

  it('of 50 MB comes in pages of about 1 MB', async () => {
    const ran = await ranTwice();
    const text = 'x'.repeat(1000);
    const count = 47_000;
    writeFileSync(ran.file, Array.from({ length: count }, (_, index) => line(`${index} ${text}`)).join(''));
    let next = 0;
    for await (const { entries, size } of pagesOf(ran)) {
      expect(size).toBeGreaterThan(50 * 1024 * 1024);
      expect(entries.length).toBeLessThan(1100);
      for (const entry of entries) {
        expect(entry.kind === 'user' && Number.parseInt(entry.text, 10)).toBe(next);
        next += 1;
      }
    }
    expect(next).toBe(count);
  });

  it('with a line of 50 MB goes on after it', async () => {
    const ran = await ranTwice();
    const long = line('x'.repeat(50 * 1024 * 1024));
    writeFileSync(ran.file, `${line('before')}${long}${line('after')}`);
    const pages: ConversationPage[] = [];
    for await (const page of pagesOf(ran)) pages.push(page);
    expect(pages.flatMap(({ entries }) => entries)).toMatchObject([{ text: 'before' }, { text: 'after' }]);
    expect(pages.reduce((sum, { damaged }) => sum + damaged, 0)).toBe(1);
  });
});
