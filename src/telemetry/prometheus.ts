/** Labels of a sample, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** Measurements under one name, in the text format of Prometheus (version 0.0.4). */
export interface Family {
  readonly name: string;
  readonly text: () => string;
}

/**
 * A count that only grows.
 * @param name ends with `_total`
 */
export class Counter implements Family {
  readonly name: string;
  readonly #help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.name = name;
    this.#help = help;
  }

  /** @throws RangeError for less than nothing, which is our own mistake */
  add(amount = 1, labels: Labels = {}): void {
    if (!(amount >= 0)) throw new RangeError(`${this.name} cannot grow by ${amount}`);
    this.#add(amount, labelsText(labels));
  }

  /** Counts one of a kind, for what happens so often that writing its labels each time would take longer. */
  each(labels: Labels): () => void {
    const key = labelsText(labels);
    return () => this.#add(1, key);
  }

  #add(amount: number, key: string): void {
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  text(): string {
    return heading(this.name, 'counter', this.#help) + samples(this.name, this.#values);
  }
}

/** A number that is read when metrics are requested. */
export class Gauge implements Family {
  readonly name: string;
  readonly #help: string;
  readonly #read: () => Iterable<readonly [labels: Labels, value: number]>;

  constructor(name: string, help: string, read: () => Iterable<readonly [labels: Labels, value: number]>) {
    this.name = name;
    this.#help = help;
    this.#read = read;
  }

  text(): string {
    const values = new Map([...this.#read()].map(([labels, value]) => [labelsText(labels), value]));
    return heading(this.name, 'gauge', this.#help) + samples(this.name, values);
  }
}

interface Distribution {
  readonly labels: Labels;
  readonly counts: number[];
  count: number;
  sum: number;
}

/** Counts of measurements, by the upper bound that they stay within. */
export class Histogram implements Family {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, Distribution>();

  /** @param bounds ascending; a last one without end is added */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(value: number, labels: Labels = {}): void {
    this.each(labels)(value);
  }

  /** Takes the measurements of one kind, for what happens so often that writing its labels each time would take longer. */
  each(labels: Labels): (value: number) => void {
    const key = labelsText(labels);
    return (value) => {
      const found = this.#values.get(key);
      const distribution = found ?? { labels, counts: this.#bounds.map(() => 0), count: 0, sum: 0 };
      if (found === undefined) this.#values.set(key, distribution);
      this.#add(distribution, value);
    };
  }

  #add(distribution: Distribution, value: number): void {
    const place = this.#bounds.findIndex((bound) => value <= bound);
    if (place >= 0) distribution.counts[place] = (distribution.counts[place] ?? 0) + 1;
    distribution.count += 1;
    distribution.sum += value;
  }

  text(): string {
    const lines = [...this.#values.values()].map(({ labels, counts, count, sum }) => {
      let below = 0;
      const buckets = this.#bounds.map((bound, index) => {
        below += counts[index] ?? 0;
        return `${this.name}_bucket${labelsText({ ...labels, le: String(bound) })} ${below}\n`;
      });
      const all = labelsText(labels);
      return `${buckets.join('')}${this.name}_bucket${labelsText({ ...labels, le: '+Inf' })} ${count}\n${this.name}_sum${all} ${number(sum)}\n${this.name}_count${all} ${count}\n`;
    });
    return heading(this.name, 'histogram', this.#help) + lines.join('');
  }
}

/** All families, as `/metrics` gives them. */
export function expose(families: Iterable<Family>): string {
  return [...families].map((family) => family.text()).join('');
}

function heading(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

function samples(name: string, values: ReadonlyMap<string, number>): string {
  return [...values].map(([labels, value]) => `${name}${labels} ${number(value)}\n`).join('');
}

function labelsText(labels: Labels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  return `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}
