import { useMemo } from 'preact/hooks';
import {
  type MarkdownElement,
  type MarkdownNode,
  readMarkdown,
} from '../../../view/conversation/markdown.js';
import { CopyButton } from '../../ui/copy-button.jsx';

/** Text in Markdown that may come from anybody: only elements that are listed here come of it, and nothing is loaded. */
export function Markdown({ text }: { readonly text: string }) {
  const nodes = useMemo(() => readMarkdown(text), [text]);
  return (
    <div class="markdown">
      <Nodes nodes={nodes} />
    </div>
  );
}

function Nodes({ nodes }: { readonly nodes: readonly MarkdownNode[] }) {
  return (
    <>
      {nodes.map((node, index) => (
        <Node key={index} node={node} />
      ))}
    </>
  );
}

function Node({ node }: { readonly node: MarkdownNode }) {
  switch (node.kind) {
    case 'text':
      return <>{node.text}</>;
    case 'code':
      return <code>{node.text}</code>;
    case 'block_code':
      return (
        <div class="file-text">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
          <pre class="text" tabIndex={0} data-language={node.language || undefined}>
            {node.text}
          </pre>
          <CopyButton text={node.text} what="the code" />
        </div>
      );
    case 'break':
      return <br />;
    case 'rule':
      return <hr />;
    case 'element':
      return <Element element={node} />;
  }
}

function Element({ element }: { readonly element: MarkdownElement }) {
  const { tag, number, href, children } = element;
  const content = <Nodes nodes={children} />;
  switch (tag) {
    case 'heading':
      // The headings of the page are others.
      return <p class={`markdown-heading markdown-heading-${number}`}>{content}</p>;
    case 'a':
      return (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {content}
        </a>
      );
    case 'ol':
      return <ol start={number}>{content}</ol>;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
        <div class="table-scroll" tabIndex={0}>
          <table class="table">{content}</table>
        </div>
      );
    default: {
      const Tag = tag;
      return <Tag>{content}</Tag>;
    }
  }
}
