import MarkdownIt from 'markdown-it';

/** Part of a text in Markdown; it has texts and a few known elements only, whatever the text says. */
export type MarkdownNode =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'block_code'; readonly text: string; readonly language: string }
  | { readonly kind: 'break' | 'rule' }
  | MarkdownElement;

export interface MarkdownElement {
  readonly kind: 'element';
  readonly tag: MarkdownTag;
  /** Level of a heading, from 1; first number of a numbered list. */
  readonly number?: number | undefined;
  /** Address of a link: always `http`, `https` or `mailto`. */
  readonly href?: string | undefined;
  readonly children: readonly MarkdownNode[];
}

const tags = {
  paragraph: 'p',
  heading: 'heading',
  bullet_list: 'ul',
  ordered_list: 'ol',
  list_item: 'li',
  blockquote: 'blockquote',
  em: 'em',
  strong: 'strong',
  s: 's',
  link: 'a',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
} as const;

export type MarkdownTag = (typeof tags)[keyof typeof tags];

/** Characters above which a text is shown as it is. */
const longestMarkdown = 200_000;

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });

/**
 * Reads a text in Markdown (CommonMark, tables, strikethrough) that may come from anybody: HTML is text, images are links to them,
 * and a link that leads elsewhere than to the web or to mail is its words.
 */
export function readMarkdown(text: string): readonly MarkdownNode[] {
  if (text.length > longestMarkdown) return [{ kind: 'block_code', text, language: '' }];
  return nodesOf(parser.parse(text, {}));
}

type Token = ReturnType<typeof parser.parse>[number];

interface OpenElement {
  readonly element: Omit<MarkdownElement, 'children'> | undefined;
  readonly children: MarkdownNode[];
}

function nodesOf(tokens: readonly Token[]): readonly MarkdownNode[] {
  const open: OpenElement[] = [{ element: undefined, children: [] }];
  const add = (...nodes: readonly MarkdownNode[]): void => void open.at(-1)?.children.push(...nodes);
  for (const token of tokens) {
    if (token.nesting === 1) open.push({ element: elementOf(token), children: [] });
    else if (token.nesting === 0) add(...leavesOf(token));
    else if (open.length > 1) {
      const closed = open.pop();
      const { element, children = [] } = closed ?? {};
      add(...(element === undefined ? children : [{ ...element, children }]));
    }
  }
  return open[0]?.children ?? [];
}

/** @returns undefined if only its children count */
function elementOf(token: Token): Omit<MarkdownElement, 'children'> | undefined {
  const tag = tagOf(token.type.replace(/_open$/, ''));
  // Items of a list without empty lines have no paragraphs.
  if (token.hidden || tag === undefined) return undefined;
  if (tag === 'heading') return { kind: 'element', tag, number: Number(token.tag.slice(1)) };
  if (tag === 'ol') return { kind: 'element', tag, number: Number(token.attrGet('start') ?? 1) };
  if (tag !== 'a') return { kind: 'element', tag };
  const href = safeAddress(token.attrGet('href'));
  return href === undefined ? undefined : { kind: 'element', tag, href };
}

function tagOf(type: string): MarkdownTag | undefined {
  return Object.hasOwn(tags, type) ? tags[type as keyof typeof tags] : undefined;
}

function leavesOf(token: Token): readonly MarkdownNode[] {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'code_inline':
      return [{ kind: 'code', text: token.content }];
    case 'fence':
    case 'code_block': {
      const [language = ''] = token.info.trim().split(/\s+/);
      return [{ kind: 'block_code', text: token.content.replace(/\n$/, ''), language }];
    }
    case 'hr':
      return [{ kind: 'rule' }];
    case 'hardbreak':
      return [{ kind: 'break' }];
    case 'softbreak':
      return [{ kind: 'text', text: '\n' }];
    case 'image':
      return [imageOf(token)];
    default:
      return token.content === '' ? [] : [{ kind: 'text', text: token.content }];
  }
}

/** A picture is not loaded, because its server would learn who reads the text. */
function imageOf(token: Token): MarkdownNode {
  const href = safeAddress(token.attrGet('src'));
  const words = { kind: 'text', text: `[image${token.content === '' ? '' : `: ${token.content}`}]` } as const;
  return href === undefined ? words : { kind: 'element', tag: 'a', href, children: [words] };
}

/** Absolute address of the web, or of mail. */
function safeAddress(href: string | number | null): string | undefined {
  const text = String(href ?? '');
  return /^(?:https?:\/\/|mailto:)[^\s]/i.test(text) ? text : undefined;
}
