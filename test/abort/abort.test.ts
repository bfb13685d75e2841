import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { abortWith, onAbort, unlessAborted, untilAborted } from '../../src/abort/abort.js';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
const never = new Promise<never>(() => undefined);

function abortedWith(reason: unknown): AbortSignal {
  const controller = new AbortController();
  controller.abort(reason);
  return controller.signal;
}

describe('onAbort', () => {
  it('acts once the signal is aborted, once', () => {
    const controller = new AbortController();
    let actions = 0;
    onAbort(controller.signal, () => {
      actions += 1;
    });
    expect(actions).toBe(0);
    controller.abort();
    controller.abort();
    expect([actions, listeners(controller.signal)]).toEqual([1, 0]);
  });

  it('acts at once where it is aborted already', () => {
    const signal = abortedWith('before');
    const seen: unknown[] = [];
    const release = onAbort(signal, () => seen.push(signal.reason));
    expect(seen).toEqual(['before']);
    expect(listeners(signal)).toBe(0);
    release();
    expect(seen).toEqual(['before']);
  });

  it('hears of an abort that the action before it has caused', () => {
    const controller = new AbortController();
    const seen: string[] = [];
    onAbort(abortedWith('x'), () => controller.abort());
    onAbort(controller.signal, () => seen.push('heard'));
    expect(seen).toEqual(['heard']);
  });

  it('does nothing any more when it was let go', () => {
    const controller = new AbortController();
    let actions = 0;
    const release = onAbort(controller.signal, () => {
      actions += 1;
    });
    release();
    release();
    expect(listeners(controller.signal)).toBe(0);
    controller.abort();
    expect(actions).toBe(0);
  });

  it('keeps two who listen with the same action apart', () => {
    const controller = new AbortController();
    let actions = 0;
    const action = (): void => {
      actions += 1;
    };
    const release = onAbort(controller.signal, action);
    onAbort(controller.signal, action);
    release();
    controller.abort();
    expect(actions).toBe(1);
  });

  it('has nothing to listen to without a signal', () => {
    let actions = 0;
    onAbort(undefined, () => {
      actions += 1;
    })();
    expect(actions).toBe(0);
  });
});

describe('abortWith', () => {
  it.each([0, 1])('hands on the reason of signal %i', (index) => {
    const sources = [new AbortController(), new AbortController()] as const;
    const controller = new AbortController();
    abortWith(controller, sources[0].signal, undefined, sources[1].signal);
    sources[index]?.abort('enough');
    expect(controller.signal.reason).toBe('enough');
  });

  it('hands on what was aborted before, and then the first of them', () => {
    const controller = new AbortController();
    abortWith(controller, new AbortController().signal, abortedWith('one'), abortedWith('other'));
    expect(controller.signal.reason).toBe('one');
  });

  it('lets go of every signal', () => {
    const sources = [new AbortController(), new AbortController()] as const;
    const controller = new AbortController();
    const release = abortWith(controller, sources[0].signal, sources[1].signal);
    expect(sources.map(({ signal }) => listeners(signal))).toEqual([1, 1]);
    release();
    expect(sources.map(({ signal }) => listeners(signal))).toEqual([0, 0]);
    sources[0].abort();
    expect(controller.signal.aborted).toBe(false);
  });

  it('leaves the signals alone when the controller is aborted', () => {
    const source = new AbortController();
    const controller = new AbortController();
    abortWith(controller, source.signal);
    controller.abort();
    expect(source.signal.aborted).toBe(false);
  });

  it('may be asked for by any number', () => {
    const source = new AbortController();
    const warnings: string[] = [];
    const warned = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', warned);
    const releases = Array.from({ length: 50 }, () => abortWith(new AbortController(), source.signal));
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      process.off('warning', warned);
      expect(warnings).toEqual([]);
      for (const release of releases) release();
      expect(listeners(source.signal)).toBe(0);
    });
  });
});

describe.each([
  ['untilAborted', untilAborted, (work: Promise<unknown>) => work],
  ['unlessAborted', unlessAborted, (work: Promise<unknown>) => work.catch((reason: unknown) => [reason])],
] as const)('%s', (name, wait, settled) => {
  const stopped = name === 'untilAborted' ? undefined : ['enough'];

  it('has the result of the work, and lets go of the signal', async () => {
    const { signal } = new AbortController();
    const waiting = wait(Promise.resolve('done'), signal);
    expect(listeners(signal)).toBe(1);
    expect(await waiting).toBe('done');
    await Promise.resolve();
    expect(listeners(signal)).toBe(0);
  });

  it('has the failure of the work, and lets go of the signal', async () => {
    const { signal } = new AbortController();
    await expect(wait(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    await Promise.resolve();
    expect(listeners(signal)).toBe(0);
  });

  it('ends with the signal, whether the work does or not', async () => {
    const controller = new AbortController();
    const waiting = wait(never, controller.signal);
    controller.abort('enough');
    expect(await settled(waiting)).toEqual(stopped);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('ends at once where the signal is aborted already', async () => {
    expect(await settled(wait(never, abortedWith('enough')))).toEqual(stopped);
    expect(await settled(wait(Promise.resolve('done'), abortedWith('enough')))).toEqual(stopped);
  });

  it('does not tell of a failure that comes too late', async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const waiting = wait(work, controller.signal);
    controller.abort('enough');
    fail(new Error('too late'));
    // An error that nobody hears of would fail the test file.
    expect(await settled(waiting)).toEqual(stopped);
  });
});
