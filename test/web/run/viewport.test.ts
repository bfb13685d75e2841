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

  it('is its start where texts could not be read in the whole, and nothing beside the drawing', () => {
    const box = fc.record({ x: share, y: share });
    fc.assert(
      fc.property(size, size, fc.option(box, { nil: undefined }), (drawing, frame, at) => {
        const start = at && {
          x: at.x * (drawing.width - 9),
          y: at.y * (drawing.height - 9),
          width: 9,
          height: 9,
        };
        const view = begun(drawing, frame, start);
        const scale = frame.width / view.width;
        expect(scale).toBeGreaterThan(0.749);
        expect(view.width / view.height).toBeCloseTo(frame.width / frame.height, 3);
        const axes = [
          [view.x, view.width, drawing.width, start?.x],
          [view.y, view.height, drawing.height, start?.y],
        ] as const;
        for (const [from, length, end, begin = 0] of axes) {
          if (length < end) {
            expect(from).toBeGreaterThanOrEqual(0);
            expect(from + length).toBeLessThanOrEqual(end + 0.01);
          } else expect(from + length / 2).toBeCloseTo(end / 2, 3);
          if (length < 9) continue;
          expect(begin).toBeGreaterThanOrEqual(from - 0.01);
          expect(begin + (start === undefined ? 0 : 9)).toBeLessThanOrEqual(from + length + 0.01);
        }
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
    expect(showing(view, box(40, 40), 24)).toEqual(view);
    expect(showing(view, box(200, 40), 24)).toMatchObject({ x: 144, y: 0 });
    expect(showing(view, box(40, -50), 24)).toMatchObject({ x: 0, y: -74 });
    // Where there is less room, it comes into the middle.
    expect(showing(view, box(200, 0), 80)).toMatchObject({ x: 160, y: -45 });
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
