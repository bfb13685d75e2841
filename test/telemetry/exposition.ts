/** A sample of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/s;
const label = /(?<name>[a-zA-Z_]\w*)="(?<value>(?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Reads the format (version 0.0.4) as strictly as its description. @throws Error for a line that it does not allow */
export function readExposition(text: string): {
  samples: readonly Sample[];
  types: ReadonlyMap<string, string>;
} {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const samples: Sample[] = [];
  for (const one of text.split('\n').filter((line) => line !== '')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(one) ?? [];
    if (kind === 'HELP') helped.add(name);
    else if (kind === 'TYPE') {
      if (types.has(name)) throw new Error(`${name} has two types`);
      types.set(name, rest);
    } else samples.push(sampleOf(one, types, helped));
  }
  return { samples, types };
}

function sampleOf(text: string, types: ReadonlyMap<string, string>, helped: ReadonlySet<string>): Sample {
  const { name = '', labels = '', value = '' } = line.exec(text)?.groups ?? {};
  if (name === '') throw new Error(`no sample: ${text}`);
  const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
  if (!types.has(family) || !helped.has(family)) throw new Error(`${name} has no type or no help before it`);
  if (value !== '+Inf' && Number.isNaN(Number(value))) throw new Error(`no number: ${text}`);
  return {
    name,
    labels: labelsOf(labels),
    value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value),
  };
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const { name = '', value = '' } = label.exec(text)?.groups ?? {};
    if (name === '') throw new Error(`no labels: ${text}`);
    found.push([name, value.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))]);
  }
  return Object.fromEntries(found);
}
