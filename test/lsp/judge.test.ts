import { describe, expect, it } from 'vitest';
import { Judge, type Judgement } from '../../src/lsp/server/judge.js';
import type { Timers } from '../../src/lsp/server/timers.js';

/** Time that passes when a test says so. */
class FakeTimers implements Timers {
  #now = 0;
  #waiting: { readonly at: number; readonly call: () => void }[] = [];

  soon(call: () => void): void {
    this.after(0, call);
  }

  after(milliseconds: number, call: () => void): () => void {
    const one = { at: this.#now + milliseconds, call };
    this.#waiting.push(one);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    };
  }

  /** Each look at the clock takes a while, so that checking is cut into many slices. */
  now(): number {
    this.#now += 4;
    return this.#now;
  }

  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    for (;;) {
      await settled();
      const [next] = this.#waiting.toSorted((one, other) => one.at - other.at);
      if (next === undefined || next.at > until) break;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      next.call();
    }
    this.#now = Math.max(this.#now, until);
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function editor() {
  const timers = new FakeTimers();
  const texts = new Map<string, { text: string; version: number }>();
  const published: {
    readonly uri: string;
    readonly rules: readonly string[];
    readonly judgement: Judgement;
  }[] = [];
  const failures: unknown[] = [];
  const judge = new Judge({
    timers,
    open: (uri) => {
      const open = texts.get(uri);
      return open && { uri, ...open };
    },
    options: async () => ({}),
    publish: (uri, judgement) =>
      published.push({ uri, rules: judgement.findings.map(({ rule }) => rule), judgement }),
    failed: (error) => failures.push(error),
    pauseMs: () => 300,
  });
  const type = (uri: string, text: string): void => {
    texts.set(uri, { text, version: (texts.get(uri)?.version ?? 0) + 1 });
    judge.changed(uri);
  };
  return { timers, texts, published, failures, judge, type };
}

// `read_before_write` follows control, `reachability` does not.
const text = `digraph G { start [shape=Mdiamond]; done [shape=Msquare]; lost [prompt="x"]
  a [prompt="\${context.plan}"]; b [prompt="y", writes="plan"]; start -> a -> b -> done }`;

describe('judging', () => {
  it('finds what is local at once, and the rest in a pause', async () => {
    const { timers, type, published } = editor();
    type('a', text);
    await timers.pass(10);
    expect(published.map(({ rules }) => rules)).toEqual([['reachability']]);
    await timers.pass(2000);
    expect(published.map(({ rules }) => rules)).toEqual([
      ['reachability'],
      ['reachability', 'read_before_write'],
    ]);
  });

  it('waits as long as somebody types, and keeps later findings at their places', async () => {
    const { timers, type, published } = editor();
    type('a', text);
    await timers.pass(2000);
    for (let key = 1; key <= 5; key += 1) {
      type('a', `// ${'x'.repeat(key)}\n${text}`);
      await timers.pass(100);
    }
    const typed = published.slice(2);
    expect(typed).toHaveLength(5);
    for (const { rules, judgement } of typed) {
      expect(rules).toContain('read_before_write');
      const found = judgement.findings.find(({ rule }) => rule === 'read_before_write');
      expect(judgement.text.slice(found?.span.start, found?.span.end)).toContain('context.plan');
    }
  });

  it('gives a text up that changes while it is checked', async () => {
    const { timers, type, published } = editor();
    type('a', text);
    await timers.pass(310);
    const before = published.length;
    type('a', 'digraph G { start [shape=Mdiamond] -> done [shape=Msquare] }');
    await timers.pass(50);
    expect(published.slice(before).every(({ judgement }) => judgement.version === 2)).toBe(true);
  });

  it('takes turns between documents, and forgets closed ones', async () => {
    const { timers, type, published, texts, judge, failures } = editor();
    for (let index = 0; index < 100; index += 1) type(`d${index}`, 'digraph G { a }');
    texts.delete('d1');
    judge.closed('d1');
    await timers.pass(1_000_000);
    const uris = published.map(({ uri }) => uri);
    expect(uris).not.toContain('d1');
    expect(new Set(uris).size).toBe(99);
    expect(uris.indexOf('d99')).toBeLessThan(uris.lastIndexOf('d0'));
    expect(failures).toEqual([]);
  });

  it('answers with findings of this text only', async () => {
    const { timers, type, judge } = editor();
    type('a', text);
    await timers.pass(10);
    expect(judge.findings({ uri: 'a', text })?.length).toBe(1);
    expect(judge.findings({ uri: 'a', text: `${text} ` })).toBeUndefined();
  });
});
