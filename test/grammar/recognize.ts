import type { Expression, Grammar } from './ebnf.js';

/** How the tokens of a language are kept apart. */
export interface Layout {
  /** What may stand between tokens; sticky. */
  readonly between: RegExp;
  /** What cannot follow a token that ends in a letter, a digit or the like; sticky. */
  readonly goesOn: RegExp;
}

/** Whether a text can be derived from a grammar, by trying all ways. */
export function isDerivable({ rules, start, tokens }: Grammar, layout: Layout, text: string): boolean {
  const known = new Map<string, ReadonlySet<number>>();

  /** The places where something that begins here can end. */
  function ends(expression: Expression, from: number, inToken: boolean): ReadonlySet<number> {
    switch (expression.kind) {
      case 'text': {
        const at = inToken ? from : skip(from);
        if (!text.startsWith(expression.text, at)) return none;
        return only(at + expression.text.length, inToken);
      }
      case 'characters': {
        const code = text.codePointAt(from);
        if (code === undefined) return none;
        const isIn = expression.ranges.some(([low, high]) => low <= code && code <= high);
        return isIn === expression.isNegated ? none : new Set([from + (code > 0xffff ? 2 : 1)]);
      }
      case 'name':
        return endsOfRule(expression.name, from, inToken);
      case 'sequence':
        return expression.parts.reduce(
          (places: ReadonlySet<number>, part) => fromAll(places, (place) => ends(part, place, inToken)),
          new Set([from]),
        );
      case 'choice':
        return new Set(expression.parts.flatMap((part) => [...ends(part, from, inToken)]));
      case 'repeat':
        return repeated(expression, from, inToken);
      case 'except': {
        const without = ends(expression.without, from, inToken);
        return new Set([...ends(expression.part, from, inToken)].filter((end) => !without.has(end)));
      }
    }
  }

  function endsOfRule(name: string, from: number, inToken: boolean): ReadonlySet<number> {
    const expression = rules.get(name);
    if (expression === undefined) throw new Error(`${name} is not defined`);
    const isToken = tokens.has(name);
    const at = isToken && !inToken ? skip(from) : from;
    const key = `${name} ${at} ${inToken}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = ends(expression, at, inToken || isToken);
    const whole = isToken && !inToken ? new Set([...found].filter((end) => isWhole(end))) : found;
    known.set(key, whole);
    return whole;
  }

  function repeated(
    { part, least, most }: Extract<Expression, { kind: 'repeat' }>,
    from: number,
    inToken: boolean,
  ): ReadonlySet<number> {
    const found = new Set<number>(least === 0 ? [from] : []);
    let latest: ReadonlySet<number> = new Set([from]);
    while (latest.size > 0) {
      const next = fromAll(latest, (place) => ends(part, place, inToken));
      latest = new Set([...next].filter((place) => !found.has(place)));
      for (const place of latest) found.add(place);
      if (most === 1) break;
    }
    return found;
  }

  const only = (end: number, inToken: boolean): ReadonlySet<number> =>
    inToken || isWhole(end) ? new Set([end]) : none;

  /** Whether a token can end here: it is as long as it can be. */
  function isWhole(end: number): boolean {
    layout.goesOn.lastIndex = end;
    return !/[\w.:-]$/.test(text.slice(0, end).slice(-1)) || !layout.goesOn.test(text);
  }

  function skip(from: number): number {
    layout.between.lastIndex = from;
    return layout.between.test(text) ? layout.between.lastIndex : from;
  }

  return [...endsOfRule(start, 0, false)].some((end) => skip(end) === text.length);
}

const none: ReadonlySet<number> = new Set();

function fromAll(
  places: ReadonlySet<number>,
  next: (place: number) => ReadonlySet<number>,
): ReadonlySet<number> {
  return new Set([...places].flatMap((place) => [...next(place)]));
}
