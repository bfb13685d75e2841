import { describe, expect, it } from 'vitest';
import { begun, fitted, panned, reframed, showing, zoomedAt } from '../../../src/web/run/graph/viewport.js';
import { fc } from '../../support/fast-check.js';

// SEMANTICS 73a: the picture of a run is looked at closer and moved, and never lost.

const size = fc.record({
  width: fc.integer({ min: 20, max: 6000 }),
  height: fc.integer({ min: 20, max: 6000 }),
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('what of a picture is shown', () => {
  it('is all of it at first, in the shape of the frame', () => {
    fc.assert(
      fc.property(size, size, (drawing, frame) => {
        const view = fitted(drawing, frame);
        expect(view.width / view.height).toBeCloseTo(frame.width / frame.height, 3);
        expect(view.x).toBeLessThanOrEqual(0.01);
        expect(view.x + view.width).toBeGreaterThanOrEqual(drawing.width - 0.01);
        expect(view.y + view.height).toBeGreaterThanOrEqual(drawing.height - 0.01);
      }),
    );
  });

  it('is its beginning where texts could not be read in the whole', () => {
    fc.assert(
      fc.property(size, size, (drawing, frame) => {
        const view = begun(drawing, frame);
        const scale = frame.width / view.width;
        expect(scale).toBeGreaterThan(0.749);
        expect(view.width / view.height).toBeCloseTo(frame.width / frame.height, 3);
        // Nothing is cut off at its beginning, as far as it goes down or else to the right.
        if (drawing.height > view.height) expect(view.y).toBeLessThan(0.01);
        else if (drawing.width > view.width) expect(view.x).toBeLessThan(0.01);
        else expect(view).toEqual(fitted(drawing, frame));
      }),
    );
  });

  it('keeps its middle on the drawing, however it is zoomed and moved, and its shape', () => {
    const move = fc.record({
      x: share,
      y: share,
      factor: fc.double({ min: 0.05, max: 20, noNaN: true }),
      isZoom: fc.boolean(),
    });
    fc.assert(
      fc.property(size, size, fc.array(move), (drawing, frame, moves) => {
        let view = fitted(drawing, frame);
        for (const { x, y, factor, isZoom } of moves) {
          const point = { x: x * frame.width, y: y * frame.height };
          view = isZoom
            ? zoomedAt(view, { drawing, frame }, point, factor)
            : panned(view, { drawing, frame }, { x: point.x * factor, y: -point.y * factor });
          const middle = { x: view.x + view.width / 2, y: view.y + view.height / 2 };
          expect(middle.x).toBeGreaterThanOrEqual(-0.01);
          expect(middle.x).toBeLessThanOrEqual(drawing.width + 0.01);
          expect(middle.y).toBeLessThanOrEqual(drawing.height + 0.01);
          expect(view.width / view.height).toBeCloseTo(frame.width / frame.height, 3);
        }
      }),
    );
  });

  it('keeps the point under the pointer where it is when it is looked at closer', () => {
    const sizes = { drawing: { width: 1000, height: 1000 }, frame: { width: 500, height: 500 } };
    const before = fitted(sizes.drawing, sizes.frame);
    const after = zoomedAt(before, sizes, { x: 200, y: 300 }, 2);
    const at = (view: typeof before) => [
      view.x + 200 * (view.width / 500),
      view.y + 300 * (view.height / 500),
    ];
    expect(at(after)).toEqual(at(before));
  });

  it('moves no further than it takes to show a stage', () => {
    const view = { x: 0, y: 0, width: 100, height: 100 };
    const box = (x: number, y: number) => ({ x, y, width: 20, height: 10 });
    expect(showing(view, box(40, 40))).toEqual(view);
    expect(showing(view, box(200, 40))).toMatchObject({ x: 144, y: 0 });
    expect(showing(view, box(40, -50))).toMatchObject({ x: 0, y: -74 });
  });

  it('stays in the middle when the frame changes', () => {
    const view = { x: 100, y: 100, width: 200, height: 200 };
    expect(reframed(view, { width: 400, height: 400 }, { width: 200, height: 400 })).toEqual({
      x: 150,
      y: 100,
      width: 100,
      height: 200,
    });
  });
});
