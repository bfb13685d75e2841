import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { palettes } from '../../../src/render/theme.js';

// The page and the pictures that it shows tell the same states in the same colours, in light and in dark.

const css = readFileSync(new URL('../../../src/web/ui/tokens.css', import.meta.url), 'utf8');
const { light, dark } = palettes;

describe('the colours of the page', () => {
  const states = Object.keys(light.run.states) as (keyof typeof light.run.states)[];

  it.each(states)('of the state %s are those of pictures', (state) => {
    for (const part of ['fill', 'border'] as const) {
      const expected = `--state-${state}-${part}: light-dark(${light.run.states[state][part]}, ${dark.run.states[state][part]});`;
      expect(css).toContain(expected);
    }
  });

  it('of texts and of what pictures lie on are those of pictures', () => {
    expect(css).toContain(`--surface: light-dark(${light.page}, ${dark.page});`);
    expect(css).toContain(`--ink: light-dark(${light.ink}, ${dark.ink});`);
    expect(css).toContain(`--ink-muted: light-dark(${light.mutedInk}, ${dark.mutedInk});`);
  });

  const backgrounds = ['page', 'surface', 'raised', 'sunken', 'hover'];
  const fills = states.map((state) => `state-${state}-fill`);
  it.each([
    ...[...backgrounds, ...fills, 'accent-fill'].map((on) => ['ink', on, 7] as const),
    ...backgrounds.map((on) => ['ink-muted', on, 4.5] as const),
    ...backgrounds.map((on) => ['accent', on, 4.5] as const),
    ...backgrounds.map((on) => ['danger', on, 4.5] as const),
    ['accent-ink', 'accent', 4.5] as const,
    ['accent-ink', 'accent-hover', 4.5] as const,
    ['danger-ink', 'danger', 4.5] as const,
    ...backgrounds.slice(0, 3).map((on) => ['line-control', on, 2.7] as const),
    ...backgrounds.map((on) => ['focus', on, 3] as const),
  ])('%s can be told from %s (%d to one)', (text, background, least) => {
    for (const scheme of [0, 1] as const) {
      expect(contrast(colour(text, scheme), colour(background, scheme))).toBeGreaterThanOrEqual(least);
    }
  });
});

function colour(name: string, scheme: 0 | 1): string {
  const [, ...pair] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? [];
  const found = pair[scheme];
  if (found === undefined) throw new Error(`tokens.css does not say --${name} as a pair of colours`);
  return found;
}

/** As WCAG 2 counts it. */
function contrast(one: string, other: string): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
