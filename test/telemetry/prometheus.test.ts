import { describe, expect, it } from 'vitest';
import { Counter, expose, Gauge, Histogram } from '../../src/telemetry/prometheus.js';
import { anyCharacter } from '../support/any-character.js';
import { fc } from '../support/fast-check.js';
import { readExposition } from './exposition.js';

describe('the text format of Prometheus', () => {
  it('has help and type before the samples, and no sample where nothing was counted', () => {
    const counter = new Counter('things_total', 'Things,\nas \\ they come.');
    expect(counter.text()).toBe(
      '# HELP things_total Things,\\nas \\\\ they come.\n# TYPE things_total counter\n',
    );
    counter.add();
    counter.add(2, { kind: 'odd' });
    counter.add(0.5, { kind: 'odd' });
    expect(readExposition(counter.text()).samples).toEqual([
      { name: 'things_total', labels: {}, value: 1 },
      { name: 'things_total', labels: { kind: 'odd' }, value: 2.5 },
    ]);
  });

  it('counts never fall', () => {
    expect(() => new Counter('things_total', '').add(-1)).toThrow(RangeError);
    expect(() => new Counter('things_total', '').add(Number.NaN)).toThrow(RangeError);
  });

  it('any label value is read as it was given', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'le_x'), fc.string({ unit: anyCharacter })),
        (labels) => {
          const gauge = new Gauge('now', 'Now.', () => [[labels, 1]]);
          // A line ends where Unix lines do; everything else is a character like any other.
          expect(readExposition(gauge.text()).samples).toEqual([{ name: 'now', labels, value: 1 }]);
        },
      ),
    );
  });

  it('a distribution counts each measurement in all buckets that hold it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
        const histogram = new Histogram('took_seconds', 'Took.', [1, 5, 10]);
        for (const value of values) histogram.observe(value, { what: 'x' });
        const { samples, types } = readExposition(expose([histogram]));
        expect(types.get('took_seconds')).toBe('histogram');
        if (values.length === 0) {
          expect(samples).toEqual([]);
          return;
        }
        const count = (name: string, le?: string) =>
          samples.find((sample) => sample.name === `took_seconds_${name}` && sample.labels.le === le)?.value;
        for (const bound of [1, 5, 10]) {
          expect(count('bucket', String(bound))).toBe(values.filter((value) => value <= bound).length);
        }
        expect(count('bucket', '+Inf')).toBe(values.length);
        expect(count('count')).toBe(values.length);
        expect(count('sum')).toBeCloseTo(values.reduce((sum, value) => sum + value, 0));
      }),
    );
  });
});
