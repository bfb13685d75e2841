import { type MarkdownElement, type MarkdownNode, readMarkdown } from '../view/conversation/markdown.js';
import { type Html, html } from './html.js';

/** Text in Markdown that may come from anybody, without links: a report leads nowhere, so an address stands after its words. */
export function markdownHtml(text: string): Html {
  return html`<div class="markdown">${nodesHtml(readMarkdown(text))}</div>`;
}

function nodesHtml(nodes: readonly MarkdownNode[]): readonly Html[] {
  return nodes.map(nodeHtml);
}

function nodeHtml(node: MarkdownNode): Html {
  switch (node.kind) {
    case 'text':
      return html`${node.text}`;
    case 'code':
      return html`<code>${node.text}</code>`;
    case 'block_code':
      return html`<pre>
${node.text}</pre>`;
    case 'break':
      return html`<br>`;
    case 'rule':
      return html`<hr>`;
    case 'element':
      return elementHtml(node);
  }
}

function elementHtml({ tag, number, href, children }: MarkdownElement): Html {
  const content = nodesHtml(children);
  switch (tag) {
    case 'p':
      return html`<p>${content}</p>`;
    case 'heading':
      return html`<p class="heading">${content}</p>`;
    case 'a':
      return html`${content} <span class="note">(${href})</span>`;
    case 'ul':
      return html`<ul>${content}</ul>`;
    case 'ol':
      return html`<ol start="${number}">${content}</ol>`;
    case 'li':
      return html`<li>${content}</li>`;
    case 'blockquote':
      return html`<blockquote>${content}</blockquote>`;
    case 'em':
      return html`<em>${content}</em>`;
    case 'strong':
      return html`<strong>${content}</strong>`;
    case 's':
      return html`<s>${content}</s>`;
    case 'table':
      return html`<table>${content}</table>`;
    case 'thead':
      return html`<thead>${content}</thead>`;
    case 'tbody':
      return html`<tbody>${content}</tbody>`;
    case 'tr':
      return html`<tr>${content}</tr>`;
    case 'th':
      return html`<th scope="col">${content}</th>`;
    case 'td':
      return html`<td>${content}</td>`;
  }
}
