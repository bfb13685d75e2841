/** Placeholders of a command line. */
const placeholders = [
  'prompt',
  'prompt_file',
  'model',
  'effort',
  'working_directory',
  'session',
  'stage_dir',
  'system_prompt',
] as const;

export type Placeholder = (typeof placeholders)[number];

/** Values of placeholders; unknown ones are missing. */
export type PlaceholderValues = Readonly<Partial<Record<Placeholder, string | undefined>>>;

const mark = /\{(\w+)\}/g;

/** Problem with the placeholders of a command line; undefined if all of them are known. */
export function unknownPlaceholder(command: readonly string[]): string | undefined {
  const names = command.flatMap((part) => [...part.matchAll(mark)].map(([, name]) => name ?? ''));
  const stray = names.find((name) => !isPlaceholder(name));
  if (stray === undefined) return undefined;
  return `there is no placeholder {${stray}}; there are ${placeholders.map((name) => `{${name}}`).join(', ')}`;
}

/** True if a command line has a placeholder. */
export function asksFor(command: readonly string[], name: Placeholder): boolean {
  return command.some((part) => part.includes(`{${name}}`));
}

/**
 * Command line with its values. An argument with an unknown value is left out, and with it the option
 * before it (`--model {model}`), so that the agent uses its default.
 */
export function fillTemplate(command: readonly string[], values: PlaceholderValues): readonly string[] {
  const filled: string[] = [];
  for (const [index, part] of command.entries()) {
    if (isUnknown(part, values)) {
      if (isOption(command[index - 1])) filled.pop();
      continue;
    }
    filled.push(
      part.replace(mark, (text, name: string) => (isPlaceholder(name) ? (values[name] ?? '') : text)),
    );
  }
  return filled;
}

function isUnknown(part: string, values: PlaceholderValues): boolean {
  return [...part.matchAll(mark)].some(([, name = '']) => isPlaceholder(name) && values[name] === undefined);
}

function isOption(part: string | undefined): boolean {
  return part?.startsWith('-') === true && part !== '-' && !part.includes('{');
}

function isPlaceholder(name: string): name is Placeholder {
  return placeholders.some((one) => one === name);
}
