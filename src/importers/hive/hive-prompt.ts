import type { HiveNode } from './hive-graph.js';

/** Prompt of a node: its instructions, what it has to reach, and the values that Hive gives it. */
export function promptOf(node: HiveNode, keys: ReadonlySet<string>): string {
  const { prompt, name, criteria, inputs, id } = node;
  const values = inputs
    .filter((key) => /^[A-Za-z_]\w*$/.test(key))
    .map((key) => `${key}: \${context.${key}}`);
  return [
    withValues(prompt || name || id, keys),
    ...(criteria === '' ? [] : [`The result has to fulfil this: ${withValues(criteria, keys)}`]),
    ...values,
  ].join('\n\n');
}

/** `{{key}}` is a value; `${` is text. */
function withValues(text: string, keys: ReadonlySet<string>): string {
  const escaped = text.replaceAll(/\$\{(?=[A-Za-z_][\w.]*\})/g, '$$$${');
  return escaped.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, key: string) =>
    keys.has(key) ? `\${context.${key}}` : whole,
  );
}
