import { describe, expect, it } from 'vitest';
import { hrefOf, parsePlace, type Route } from '../../src/web/route.js';
import { fc } from '../support/fast-check.js';

// §9.5: the page; every screen has an address, which survives a reload and can be sent to somebody.

const addresses: readonly [address: string, route: Route][] = [
  ['', { kind: 'runs' }],
  ['#', { kind: 'runs' }],
  ['#/', { kind: 'runs' }],
  ['#/?search=x', { kind: 'runs' }],
  ['#/runs/a', { kind: 'run', runId: 'a' }],
  ['#/runs/a/', { kind: 'run', runId: 'a' }],
  ['#/runs/a%2Fb', { kind: 'run', runId: 'a/b' }],
  ['#/runs/a?tab=events', { kind: 'run', runId: 'a' }],
  ['#/runs/a/stages/__proto__', { kind: 'stage', runId: 'a', nodeId: '__proto__' }],
  ['#/playground', { kind: 'playground' }],
  ['#/workers', { kind: 'workers' }],
  ['#/runs', { kind: 'nowhere', address: '/runs' }],
  ['#/runs/a/stages', { kind: 'nowhere', address: '/runs/a/stages' }],
  ['#/runs/a/stages/b/c', { kind: 'nowhere', address: '/runs/a/stages/b/c' }],
  ['#/runs/%E0%A4%A', { kind: 'nowhere', address: '/runs/%E0%A4%A' }],
  ['#main', { kind: 'nowhere', address: 'main' }],
];

describe('addresses of the page', () => {
  it.each(addresses)('%s', (address, route) => {
    expect(parsePlace(address).route).toEqual(route);
  });

  it('lead back to the screen that they were made for, whatever its names are', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' });
    const route = fc.oneof(
      fc.constant<Route>({ kind: 'runs' }),
      fc.record({ kind: fc.constant('run' as const), runId: name }),
      fc.record({ kind: fc.constant('stage' as const), runId: name, nodeId: name }),
    );
    fc.assert(
      fc.property(route, fc.string(), (given, search) => {
        const place = parsePlace(hrefOf(given, { search, status: undefined }));
        expect(place.route).toEqual(given);
        expect(place.query.get('search') ?? '').toBe(search);
        expect(place.query.has('status')).toBe(false);
      }),
    );
  });
});
