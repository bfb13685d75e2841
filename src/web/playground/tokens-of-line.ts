import type { StringStream } from '@codemirror/language';

/** Progress of the colouring of a text. */
export interface ColourState {
  isInComment: boolean;
  isInList: boolean;
  /** Language of the open string; undefined outside of strings. */
  string: 'text' | 'condition' | 'stylesheet' | undefined;
  /** The attribute whose value comes next. */
  attribute: string;
}

export const firstState = (): ColourState => ({
  isInComment: false,
  isInList: false,
  string: undefined,
  attribute: '',
});

/** The next token of a line, by the name of its colour; the languages inside strings have colours of their own. */
export function colourToken(stream: StringStream, state: ColourState): string | null {
  if (state.isInComment) return inComment(stream, state);
  if (state.string !== undefined) return inString(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) {
    state.isInComment = true;
    return inComment(stream, state);
  }
  if (stream.match('->')) return 'operator';
  if (stream.match(/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:ms|[smhd])?\b/)) return 'number';
  const word = stream.match(/^[A-Za-z_][\w.]*/);
  if (Array.isArray(word)) return colourWord(stream, state, word[0]);
  return sign(stream, state);
}

function sign(stream: StringStream, state: ColourState): string | null {
  const character = stream.next();
  switch (character) {
    case '"':
      state.string = languageOf(state.attribute);
      return state.string === 'text' ? 'string' : 'quote';
    case '[':
      state.isInList = true;
      return 'bracket';
    case ']':
      state.isInList = false;
      state.attribute = '';
      return 'bracket';
    case '{':
    case '}':
      state.attribute = '';
      return 'brace';
    case ',':
    case ';':
      state.attribute = '';
      return 'separator';
    case '=':
      return 'operator';
    default:
      return null;
  }
}

const keywords: ReadonlySet<string> = new Set(['digraph', 'graph', 'node', 'edge', 'subgraph']);

function colourWord(stream: StringStream, state: ColourState, word: string): string {
  if (stream.match(/^\s*=/, false)) {
    state.attribute = word;
    return 'propertyName';
  }
  if (word === 'true' || word === 'false') return 'bool';
  if (state.attribute !== '') return 'atom';
  if (!state.isInList && keywords.has(word)) return 'keyword';
  return 'variableName';
}

function languageOf(attribute: string): 'text' | 'condition' | 'stylesheet' {
  if (attribute === 'condition') return 'condition';
  return attribute === 'model_stylesheet' ? 'stylesheet' : 'text';
}

function inComment(stream: StringStream, state: ColourState): string {
  if (stream.skipTo('*/')) {
    stream.match('*/');
    state.isInComment = false;
  } else stream.skipToEnd();
  return 'comment';
}

function inString(stream: StringStream, state: ColourState): string {
  if (stream.eat('"')) {
    const colour = state.string === 'text' ? 'string' : 'quote';
    state.string = undefined;
    return colour;
  }
  if (stream.match(/^\\(?:.|$)/)) return 'escape';
  switch (state.string) {
    case 'condition':
      return inCondition(stream);
    case 'stylesheet':
      return inStylesheet(stream);
    default:
      // Values that come in when the stage runs.
      if (stream.match(/^\$(?:\{[^}"\\]*\}?|goal\b)/)) return 'special';
      if (!stream.match(/^[^"\\$]+/)) stream.next();
      return 'string';
  }
}

function inCondition(stream: StringStream): string {
  if (stream.match(/^(?:&&|\|\||!=|==|<=|>=|[=<>!])/)) return 'operator';
  if (stream.match(/^(?:not|in|contains|matches|exists)\b/)) return 'keyword';
  if (stream.match(/^-?\d+(?:\.\d+)?\b/)) return 'number';
  if (
    stream.match(/^[A-Za-z_][\w.-]*(?=\s*(?:!=|==|<=|>=|[=<>]))/) ||
    stream.match(/^(?:context|outcome|preferred_label)[\w.-]*/)
  )
    return 'propertyName';
  if (stream.match(/^[A-Za-z_][\w.-]*/)) return 'atom';
  stream.next();
  return 'string';
}

function inStylesheet(stream: StringStream): string {
  if (stream.match(/^[*]|^[.#][\w-]+/)) return 'className';
  if (stream.match(/^[A-Za-z_][\w-]*(?=\s*:)/)) return 'propertyName';
  if (stream.match(/^[{}]/)) return 'brace';
  if (stream.match(/^[:;]/)) return 'separator';
  if (!stream.match(/^[^"\\{}:;]+/)) stream.next();
  return 'atom';
}
