/** Expression of Python: the part of it that conditions of Hive use. */
export type PythonExpression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly PythonExpression[] }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly of: PythonExpression | undefined;
      readonly items: readonly PythonExpression[];
    }
  | { readonly kind: 'item'; readonly of: PythonExpression; readonly key: PythonExpression }
  | { readonly kind: 'not'; readonly operand: PythonExpression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly PythonExpression[] }
  | {
      readonly kind: 'comparison';
      readonly operator: string;
      readonly left: PythonExpression;
      readonly right: PythonExpression;
    };

/** Reads an expression; undefined for what conditions cannot say here, such as arithmetic and lambdas. */
export function parsePython(text: string): PythonExpression | undefined {
  const tokens = tokenize(text);
  if (tokens === undefined) return undefined;
  const reader = new PythonReader(tokens);
  const expression = reader.or();
  return reader.isAtEnd() ? expression : undefined;
}

interface Token {
  readonly kind: 'word' | 'text' | 'number' | 'sign';
  readonly text: string;
}

const token =
  /\s*(?:([A-Za-z_]\w*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?)|(==|!=|<=|>=|[<>()[\],.]))/y;

function tokenize(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let offset = 0;
  const end = text.trimEnd().length;
  while (offset < end) {
    token.lastIndex = offset;
    const match = token.exec(text);
    if (match === null || tokens.length > mostTokens) return undefined;
    const [, word, single, double, number, sign] = match;
    if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'text', text: (single ?? double ?? '').replaceAll(/\\(.)/g, '$1') });
    offset = token.lastIndex;
  }
  return tokens;
}

/** The reader is recursive, so the text must not decide its depth. */
const mostTokens = 500;

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

class PythonReader {
  readonly #tokens: readonly Token[];
  #next = 0;
  #failed = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  isAtEnd(): boolean {
    return !this.#failed && this.#next === this.#tokens.length;
  }

  or(): PythonExpression {
    return this.#chain('or', () => this.#chain('and', () => this.#not()));
  }

  #chain(kind: 'and' | 'or', operand: () => PythonExpression): PythonExpression {
    const first = operand();
    const operands = [first];
    while (this.#take(kind)) operands.push(operand());
    return operands.length === 1 ? first : { kind, operands };
  }

  #not(): PythonExpression {
    return this.#take('not') ? { kind: 'not', operand: this.#not() } : this.#comparison();
  }

  /** `1 < x < 10` is two comparisons. */
  #comparison(): PythonExpression {
    let left = this.#primary();
    const found: PythonExpression[] = [];
    for (let operator = this.#operator(); operator !== undefined; operator = this.#operator()) {
      const right = this.#primary();
      found.push({ kind: 'comparison', operator, left, right });
      left = right;
    }
    const [only] = found;
    if (only === undefined) return left;
    return found.length === 1 ? only : { kind: 'and', operands: found };
  }

  #operator(): string | undefined {
    const { kind, text } = this.#tokens[this.#next] ?? { kind: 'sign', text: '' };
    if (kind === 'sign' && comparisons.has(text)) {
      this.#next += 1;
      return text;
    }
    if (this.#take('in')) return 'in';
    if (this.#take('is')) return this.#take('not') ? 'is not' : 'is';
    const following = this.#tokens[this.#next + 1];
    if (kind !== 'word' || text !== 'not' || following?.text !== 'in') return undefined;
    this.#next += 2;
    return 'not in';
  }

  #primary(): PythonExpression {
    let value = this.#atom();
    for (;;) {
      if (this.#take('.')) {
        const name = this.#word();
        if (!this.#take('(')) return this.#fail();
        value = { kind: 'call', name, of: value, items: this.#items(')') };
      } else if (this.#take('[')) {
        const [key] = this.#items(']');
        if (key === undefined) return this.#fail();
        value = { kind: 'item', of: value, key };
      } else return value;
    }
  }

  #atom(): PythonExpression {
    const found = this.#tokens[this.#next];
    this.#next += 1;
    switch (found?.kind) {
      case 'text':
        return { kind: 'literal', value: found.text };
      case 'number':
        return { kind: 'literal', value: Number(found.text) };
      case 'word':
        return this.#named(found.text);
      case 'sign':
        if (found.text === '[') return { kind: 'list', items: this.#items(']') };
        if (found.text === '(') return this.#parenthesized();
        return this.#fail();
      case undefined:
        return this.#fail();
    }
  }

  #named(name: string): PythonExpression {
    const constant = constants.get(name);
    if (constant !== undefined || name === 'None') return { kind: 'literal', value: constant ?? null };
    if (keywords.has(name)) return this.#fail();
    return this.#take('(')
      ? { kind: 'call', name, of: undefined, items: this.#items(')') }
      : { kind: 'name', name };
  }

  #parenthesized(): PythonExpression {
    const items = this.#items(')');
    const [only] = items;
    const isTuple = items.length !== 1 || this.#tokens[this.#next - 2]?.text === ',';
    return isTuple || only === undefined ? { kind: 'list', items } : only;
  }

  #items(close: string): readonly PythonExpression[] {
    const items: PythonExpression[] = [];
    while (!this.#take(close)) {
      if (this.#failed || this.#next >= this.#tokens.length) {
        this.#fail();
        return items;
      }
      items.push(this.or());
      if (!this.#take(',') && this.#tokens[this.#next]?.text !== close) this.#fail();
    }
    return items;
  }

  #word(): string {
    const found = this.#tokens[this.#next];
    this.#next += 1;
    if (found?.kind !== 'word') this.#fail();
    return found?.text ?? '';
  }

  #take(text: string): boolean {
    const found = this.#tokens[this.#next];
    if (found === undefined || found.kind === 'text' || found.text !== text) return false;
    this.#next += 1;
    return true;
  }

  #fail(): PythonExpression {
    this.#failed = true;
    this.#next = this.#tokens.length + 1;
    return { kind: 'literal', value: null };
  }
}

const constants: ReadonlyMap<string, boolean> = new Map([
  ['True', true],
  ['False', false],
  ['true', true],
  ['false', false],
]);

const keywords: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'in',
  'is',
  'if',
  'else',
  'lambda',
  'for',
]);
