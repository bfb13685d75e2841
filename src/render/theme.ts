import type { BuiltInHandlerType } from '../graph/handler-types.js';
import type { VisitState } from './run-overlay.js';

/** `auto` draws for light pages and carries a style sheet that follows the reader's colour scheme. */
export type Theme = 'light' | 'dark' | 'auto';

/** Kind of node by its look: a handler type of the language, a registered one, or an undeclared id. */
export type NodeKind = BuiltInHandlerType | 'custom' | 'undeclared';

/**
 * Colours of a drawing, as lower-case `#rrggbb`: the style sheet of `auto` finds them in Graphviz's output
 * again.
 */
export interface Palette {
  readonly page: HexColor;
  readonly ink: HexColor;
  readonly mutedInk: HexColor;
  /** Colour of edges and their arrowheads. */
  readonly edge: HexColor;
  readonly cluster: Tint;
  readonly kinds: Readonly<Record<NodeKind, Tint>>;
  readonly run: RunColors;
}

/** Colours over a run, which show its progress; the shape alone then shows the handler type. */
interface RunColors {
  readonly states: Readonly<Record<VisitState, Tint>>;
  /** Colour of the edges that control took. */
  readonly path: HexColor;
  /** Tint of stages that were not reached, which recede. */
  readonly unreached: Tint;
  readonly unreachedEdge: HexColor;
  readonly unreachedInk: HexColor;
}

export interface Tint {
  readonly fill: HexColor;
  readonly border: HexColor;
}

type HexColor = `#${string}`;

/** Text on a colour of the author's, dark under every theme, as the author saw it. */
export const inkOnAuthorsFill = '#11161f';

/** Class of elements whose fill the author chose. */
export const ownFillClass = 'own-fill';

export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    page: '#ffffff',
    ink: '#1c2430',
    mutedInk: '#5b6675',
    edge: '#7a8594',
    cluster: { fill: '#f7f8fa', border: '#d5dae1' },
    kinds: {
      start: { fill: '#e3f6e8', border: '#2f8f4e' },
      exit: { fill: '#e7eaef', border: '#4a5463' },
      codergen: { fill: '#e6f0fd', border: '#3b78c9' },
      'wait.human': { fill: '#fdf2d0', border: '#b07d12' },
      conditional: { fill: '#f2eafc', border: '#8257c4' },
      parallel: { fill: '#ddf4f1', border: '#1f8a80' },
      'parallel.fan_in': { fill: '#ddf4f1', border: '#1f8a80' },
      tool: { fill: '#f1f2f4', border: '#6b7686' },
      'stack.manager_loop': { fill: '#fde8f1', border: '#c2447f' },
      pipeline: { fill: '#fde8f1', border: '#c2447f' },
      custom: { fill: '#feece0', border: '#c2662d' },
      undeclared: { fill: '#fdecec', border: '#cf3f3f' },
    },
    run: {
      states: {
        done: { fill: '#d8f2df', border: '#1f8446' },
        failed: { fill: '#fcdada', border: '#c62f2f' },
        running: { fill: '#d6e6ff', border: '#1d5fd1' },
        waiting: { fill: '#ffeebd', border: '#a56c00' },
        skipped: { fill: '#e9ecf0', border: '#7d8796' },
      },
      path: '#2f3b4c',
      unreached: { fill: '#fcfdfd', border: '#c3cbd5' },
      unreachedEdge: '#ccd3db',
      unreachedInk: '#6f7a89',
    },
  },
  dark: {
    page: '#10151d',
    ink: '#e4e9f0',
    mutedInk: '#97a3b4',
    edge: '#8592a3',
    cluster: { fill: '#161d27', border: '#303a48' },
    kinds: {
      start: { fill: '#12301d', border: '#4fbf73' },
      exit: { fill: '#262d38', border: '#9aa6b6' },
      codergen: { fill: '#14283f', border: '#5b9bea' },
      'wait.human': { fill: '#362a0c', border: '#d9a531' },
      conditional: { fill: '#2a1f3f', border: '#a682e6' },
      parallel: { fill: '#0f302d', border: '#3fb8ab' },
      'parallel.fan_in': { fill: '#0f302d', border: '#3fb8ab' },
      tool: { fill: '#222a34', border: '#8a96a6' },
      'stack.manager_loop': { fill: '#3a1a2a', border: '#e0699f' },
      pipeline: { fill: '#3a1a2a', border: '#e0699f' },
      custom: { fill: '#3a2415', border: '#e08a4f' },
      undeclared: { fill: '#3b1a1b', border: '#f07070' },
    },
    run: {
      states: {
        done: { fill: '#133a22', border: '#4cc477' },
        failed: { fill: '#47191b', border: '#f47c7c' },
        running: { fill: '#142f5c', border: '#6fa6ff' },
        waiting: { fill: '#40300a', border: '#e3b03c' },
        skipped: { fill: '#252d38', border: '#76828f' },
      },
      path: '#c9d2de',
      unreached: { fill: '#131922', border: '#364150' },
      unreachedEdge: '#343e4c',
      unreachedInk: '#818c9b',
    },
  },
};

/** Palette that is written into the drawing; `auto` starts from the light one. */
export function paletteOf(theme: Theme): Palette {
  return palettes[theme === 'dark' ? 'dark' : 'light'];
}

/** Colours of the light palette with their counterparts in the dark one. */
export function colorPairs(): ReadonlyMap<HexColor, HexColor> {
  const dark = colorsOf(palettes.dark);
  return new Map(colorsOf(palettes.light).map((light, index) => [light, dark[index] ?? light]));
}

function colorsOf(palette: Palette): readonly HexColor[] {
  const { states, path, unreached, unreachedEdge, unreachedInk } = palette.run;
  const tints = [palette.cluster, ...Object.values(palette.kinds), ...Object.values(states), unreached];
  const inks = [palette.ink, palette.mutedInk, unreachedInk];
  const flat = [palette.page, ...inks, palette.edge, path, unreachedEdge];
  return [...flat, ...tints.flatMap(({ fill, border }) => [fill, border])];
}
