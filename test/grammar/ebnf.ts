/** A grammar in the notation of the W3C (XML 1.0, section 6): rules by their names, the first one first. */
export interface Grammar {
  readonly rules: ReadonlyMap<string, Expression>;
  readonly start: string;
  /** The rules whose parts stand together; between those of all others there may be blanks and comments. */
  readonly tokens: ReadonlySet<string>;
}

export type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'characters'; readonly isNegated: boolean; readonly ranges: readonly Range[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly least: 0 | 1; readonly most: 1 | 'any' }
  | { readonly kind: 'except'; readonly part: Expression; readonly without: Expression };

export type Range = readonly [from: number, to: number];

export interface Production {
  readonly name: string;
  readonly definition: string;
}

export function readGrammar(syntax: readonly Production[], tokens: readonly Production[]): Grammar {
  const rules = new Map<string, Expression>();
  for (const { name, definition } of [...syntax, ...tokens]) {
    if (rules.has(name)) throw new Error(`${name} is defined twice`);
    rules.set(name, parseDefinition(definition));
  }
  const [first] = syntax;
  if (first === undefined) throw new Error('the grammar has no productions');
  const grammar = { rules, start: first.name, tokens: new Set(tokens.map(({ name }) => name)) };
  for (const [name, rule] of rules) {
    for (const used of namesIn(rule))
      if (!rules.has(used)) throw new Error(`${name} uses ${used}, which is not defined`);
  }
  return grammar;
}

function namesIn(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case 'text':
    case 'characters':
      return [];
    case 'name':
      return [expression.name];
    case 'sequence':
    case 'choice':
      return expression.parts.flatMap(namesIn);
    case 'repeat':
      return namesIn(expression.part);
    case 'except':
      return [...namesIn(expression.part), ...namesIn(expression.without)];
  }
}

const lexeme = /\s*(?:'([^']*)'|"([^"]*)"|\[(\^?)((?:[^\]])+)\]|([A-Za-z]+)|([()|?*+-]))/y;

type Lexeme = Expression | { readonly kind: 'sign'; readonly sign: string };

function lexemesOf(text: string): readonly Lexeme[] {
  const found: Lexeme[] = [];
  lexeme.lastIndex = 0;
  while (lexeme.lastIndex < text.trimEnd().length) {
    const at = lexeme.lastIndex;
    const [, single, double, negation, set, name, sign] = lexeme.exec(text) ?? [];
    const literal = single ?? double;
    if (literal !== undefined) found.push({ kind: 'text', text: literal });
    else if (set !== undefined)
      found.push({ kind: 'characters', isNegated: negation === '^', ranges: rangesOf(set) });
    else if (name !== undefined) found.push({ kind: 'name', name });
    else if (sign !== undefined) found.push({ kind: 'sign', sign });
    else throw new Error(`cannot read "${text.slice(at)}"`);
  }
  return found;
}

/** `a-z#x9_`: characters, their numbers, and ranges of both. */
function rangesOf(set: string): readonly Range[] {
  const one = '(#x[0-9A-F]+|.)';
  return [...set.matchAll(new RegExp(`${one}(?:-${one})?`, 'gsu'))].map(([, from = '', to = from]) => [
    codeOf(from),
    codeOf(to),
  ]);
}

function codeOf(text: string): number {
  return text.startsWith('#x') ? Number.parseInt(text.slice(2), 16) : (text.codePointAt(0) ?? 0);
}

function parseDefinition(text: string): Expression {
  const lexemes = lexemesOf(text);
  let position = 0;
  const takeSign = (...signs: readonly string[]): string | undefined => {
    const next = lexemes[position];
    if (next?.kind !== 'sign' || !signs.includes(next.sign)) return undefined;
    position += 1;
    return next.sign;
  };
  const primary = (): Expression | undefined => {
    const next = lexemes[position];
    if (next === undefined) return undefined;
    if (next.kind !== 'sign') {
      position += 1;
      return next;
    }
    if (takeSign('(') === undefined) return undefined;
    const inner = choice();
    if (takeSign(')') === undefined) throw new Error(`a parenthesis is not closed in ${text}`);
    return inner;
  };
  const item = (): Expression | undefined => {
    let part = primary();
    if (part === undefined) return undefined;
    for (let sign = takeSign('?', '*', '+'); sign !== undefined; sign = takeSign('?', '*', '+')) {
      part = { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : 'any' };
    }
    if (takeSign('-') === undefined) return part;
    const without = primary();
    if (without === undefined) throw new Error(`nothing stands behind - in ${text}`);
    return { kind: 'except', part, without };
  };
  const sequence = (): Expression => {
    const parts: Expression[] = [];
    for (let part = item(); part !== undefined; part = item()) parts.push(part);
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts };
  };
  const choice = (): Expression => {
    const parts = [sequence()];
    while (takeSign('|') !== undefined) parts.push(sequence());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'choice', parts };
  };
  const result = choice();
  if (position < lexemes.length) throw new Error(`cannot read all of ${text}`);
  return result;
}
