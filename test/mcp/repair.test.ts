import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type ToolBench, toolBench } from './bench.js';
import { repairTasks } from './repair-tasks.js';

/** Finding as `check` answers it. */
interface Finding {
  readonly number: number;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly remedy?: { readonly kind: 'safe' | 'guess' | 'by_hand'; readonly title: string };
}

/**
 * Repairs a pipeline by the answers of the tools alone: it takes safe fixes, then guesses, and else writes what a remedy says at the
 * place of its finding.
 */
async function repair(
  text: string,
  bench: ToolBench,
): Promise<{ readonly text: string; readonly calls: readonly string[] }> {
  const calls: string[] = [];
  let current = text;
  const call = async (name: string, more: object = {}) => {
    const { data = {} } = await bench.call(name, { text: current, ...more });
    return data;
  };
  for (let round = 0; round < mostRounds; round += 1) {
    calls.push('check');
    const findings = (await call('check')).findings as readonly Finding[];
    const guess = findings.find(({ remedy }) => remedy?.kind === 'guess');
    const written = findings.find(({ remedy }) => remedy?.kind === 'by_hand' && writtenText(remedy.title));
    if (findings.length === 0) break;
    if (findings.some(({ remedy }) => remedy?.kind === 'safe')) {
      calls.push('fix');
      current = String((await call('fix')).text);
    } else if (guess !== undefined) {
      calls.push(`fix findings=[${guess.number}]`);
      current = String((await call('fix', { findings: [guess.number] })).text);
    } else if (written !== undefined) {
      const replacement = writtenText(written.remedy?.title ?? '') ?? '';
      calls.push(`write ${replacement} at ${written.line}:${written.column}`);
      current = replaced(current, written, replacement);
    } else break;
  }
  calls.push('simulate');
  return { text: current, calls };
}

const mostRounds = 10;

/** `X` of a remedy such as "write `X`". */
function writtenText(title: string): string | undefined {
  return /^write `([^`]+)`/.exec(title)?.[1];
}

function replaced(text: string, { line, column, end_line, end_column }: Finding, by: string): string {
  const lines = text.split('\n');
  const offset = (row: number, at: number): number =>
    lines.slice(0, row - 1).reduce((sum, one) => sum + one.length + 1, 0) + at - 1;
  return text.slice(0, offset(line, column)) + by + text.slice(offset(end_line, end_column));
}

describe('the tools alone repair a pipeline', () => {
  test.each(repairTasks)('$fault', async ({ text, calls }) => {
    const bench = toolBench();
    const before = await bench.call('check', { text });
    expect(before.text).not.toContain('no findings');
    const repaired = await repair(text, bench);
    expect(repaired.calls).toEqual(calls);
    expect((await bench.call('check', { text: repaired.text })).text).toBe('pipeline.dot: no findings');
    expect((await bench.call('simulate', { text: repaired.text })).data).toMatchObject({ status: 'success' });
  });
});

it('has its ten tasks in the documentation', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
  const rows = repairTasks.map(
    ({ fault, calls }) => `| ${fault} | ${calls.map((one) => `\`${one}\``).join(', ')} |`,
  );
  expect(rows).toHaveLength(10);
  expect(page).toContain(rows.join('\n'));
});
