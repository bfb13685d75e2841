import { Resvg } from '@resvg/resvg-js';
import { expect, test } from 'vitest';
import { renderPng } from '../../src/render/png.js';
import { buildGraph } from './build-graph.js';

const graph = buildGraph({ nodes: [['start', { shape: 'Mdiamond' }], ['work']], edges: [['start', 'work']] });

/** The colours of a picture, by how many pixels have them. */
function colorsOf(png: Uint8Array): ReadonlyMap<string, number> {
  const data = Buffer.from(png).toString('base64');
  const [width, height] = [Buffer.from(png).readUInt32BE(16), Buffer.from(png).readUInt32BE(20)];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}"><image width="${width}" height="${height}" xlink:href="data:image/png;base64,${data}"/></svg>`;
  const { pixels } = new Resvg(svg).render();
  const counts = new Map<string, number>();
  for (let offset = 0; offset < pixels.length; offset += 4) {
    const color = `#${pixels.subarray(offset, offset + 3).toString('hex')}`;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return counts;
}

test.each([
  { theme: 'light', page: '#ffffff', start: '#e3f6e8' },
  { theme: 'auto', page: '#ffffff', start: '#e3f6e8' },
  { theme: 'dark', page: '#10151d', start: '#12301d' },
] as const)('a picture for $theme pages', async ({ theme, page, start }) => {
  const png = await renderPng(graph, { theme });
  expect(Buffer.from(png.subarray(1, 4)).toString()).toBe('PNG');
  const colors = colorsOf(png);
  const [most] = [...colors].reduce((a, b) => (b[1] > a[1] ? b : a));
  expect(most).toBe(page);
  expect(colors.get(start)).toBeGreaterThan(500);
});

test('a drawing that is too large for viewers is made smaller', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => `n${index}`);
  const long = buildGraph({
    nodes: ids.map((id) => [id]),
    edges: ids.slice(1).map((id, index) => [`n${index}`, id]),
  });
  const png = Buffer.from(await renderPng(long));
  expect(png.readUInt32BE(20)).toBeLessThanOrEqual(16_384);
  expect(png.readUInt32BE(20)).toBeGreaterThan(15_000);
});
