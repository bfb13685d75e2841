import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveRegion } from '../../../src/cli/progress/live-region.js';
import { fc } from '../../support/fast-check.js';
import { type VirtualTerminal, virtualTerminal } from '../../support/terminal.js';

// What stands on the screen of a terminal, as a person sees it.

// The terminal itself has timers, which are not those of the test.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }));
afterEach(() => void vi.useRealTimers());

interface Region {
  readonly terminal: VirtualTerminal;
  readonly region: LiveRegion;
  /** Sets the lines of the region, and lets the time of a redraw pass. */
  show(...lines: readonly string[]): void;
  /** Whether a person may be typing. */
  asks(isAsking: boolean): void;
}

function regionOn(columns: number, rows = 10): Region {
  const terminal = virtualTerminal(columns, rows);
  let shown: readonly string[] = [];
  let isAsking = false;
  const region = new LiveRegion(terminal.stream, {
    lines: (size) => shown.map((line) => line.slice(0, size.columns - 1)).slice(0, size.rows),
    mayDraw: () => !isAsking,
  });
  region.start();
  return {
    terminal,
    region,
    show: (...lines) => {
      shown = lines;
      vi.advanceTimersByTime(100);
    },
    asks: (now) => {
      isAsking = now;
    },
  };
}

describe('the region at the end of a terminal', () => {
  test('changes in place, below what is printed', async () => {
    const { terminal, region, show } = regionOn(40);
    region.write('first\n');
    show('one', 'two');
    expect(await terminal.screen()).toEqual(['first', 'one', 'two']);
    show('one', '2');
    expect(await terminal.screen()).toEqual(['first', 'one', '2']);
    region.write('second\n');
    region.write('third\n');
    show('one', '2', 'three');
    expect(await terminal.screen()).toEqual(['first', 'second', 'third', 'one', '2', 'three']);
    show('one');
    expect(await terminal.screen()).toEqual(['first', 'second', 'third', 'one']);
    region.stop();
    expect(await terminal.screen()).toEqual(['first', 'second', 'third']);
  });

  test('writes nothing where nothing has changed, and all of a burst together', () => {
    const { terminal, region, show } = regionOn(40);
    show('one');
    const write = vi.spyOn(terminal.stream, 'write');
    show('one');
    expect(write).not.toHaveBeenCalled();
    for (let count = 0; count < 1000; count += 1) region.write(`line ${count}\n`);
    vi.advanceTimersByTime(100);
    expect(write.mock.calls.length).toBeLessThanOrEqual(2);
    region.stop();
  });

  test.each([
    ['narrower', 20],
    ['much narrower', 7],
    ['wider', 90],
  ])('leaves nothing behind where the terminal becomes %s', async (_how, columns) => {
    const { terminal, region, show } = regionOn(40, 24);
    region.write('before\n');
    const long = 'a line that takes nearly all of it, 38';
    show(long, 'short', long);
    await terminal.resize(columns);
    show(long, 'short', long);
    region.write('after\n');
    show();
    region.stop();
    expect(await terminal.history()).toEqual(['before', 'after']);
  });

  test('keeps what was printed in sight, however many lines there are', async () => {
    const { terminal, region, show } = regionOn(40, 9);
    region.write('before\n');
    show(...Array.from({ length: 50 }, (_, index) => `line ${index}`));
    expect(await terminal.screen()).toEqual([
      'before',
      ...[0, 1, 2, 3, 4, 5].map((index) => `line ${index}`),
    ]);
    region.stop();
    expect(await terminal.history()).toEqual(['before']);
  });

  test('gives way to a question, and comes back below its answer', async () => {
    const { terminal, region, show, asks } = regionOn(40);
    show('one');
    region.write('[?] Publish?\n');
    region.write('    [Y/N]: ');
    asks(true);
    show('one', 'two');
    expect(await terminal.screen()).toEqual(['[?] Publish?', '    [Y/N]:']);
    expect(terminal.isCursorHidden()).toBe(false);
    // As the terminal shows what a person types.
    terminal.stream.write('Y\r\n');
    asks(false);
    show('one', 'two');
    expect(await terminal.screen()).toEqual(['[?] Publish?', '    [Y/N]: Y', 'one', 'two']);
    expect(terminal.isCursorHidden()).toBe(true);
    region.stop();
    expect(await terminal.screen()).toEqual(['[?] Publish?', '    [Y/N]: Y']);
    expect(terminal.isCursorHidden()).toBe(false);
  });

  const step = fc.oneof(
    fc.record({ print: fc.integer({ min: 0, max: 99 }) }),
    fc.record({ show: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }) }),
    fc.record({ columns: fc.integer({ min: 10, max: 60 }) }),
  );

  test('shows exactly what was printed, and below it the lines of now, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { terminal, region, show } = regionOn(30, 40);
        const printed: string[] = [];
        let lines: readonly string[] = [];
        for (const one of steps) {
          if ('print' in one) {
            printed.push(`${one.print}`);
            region.write(`${one.print}\n`);
          } else if ('show' in one) lines = one.show.map((length, index) => `${index}`.repeat(length + 1));
          else await terminal.resize(one.columns);
          show(...lines);
        }
        const room = terminal.stream.columns - 1;
        expect(await terminal.history()).toEqual([...printed, ...lines.map((line) => line.slice(0, room))]);
        region.stop();
        expect(await terminal.history()).toEqual(printed);
      }),
    );
  });
});
