/** The part of a drawing that is shown, in the units of the drawing; always of the shape of the frame around it. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Maximum magnification of a picture. */
const closest = 4;
/** Maximum reduction, relative to the whole picture. */
const furthest = 4;
/** At which a small pipeline is still shown, although the frame has room for more. */
const largestAtFirst = 1.4;
/** Smaller, texts cannot be read (labels of nodes are drawn 12 pixels high): then the beginning of the picture is shown. */
const smallestAtFirst = 0.75;
/** At which texts are easily read. */
const readable = 0.9;

/** The whole drawing in the middle of its frame, not much larger than it was drawn. */
export function fitted(drawing: Size, frame: Size): Viewport {
  const scale = Math.min(largestAtFirst, scaleToFit(drawing, frame));
  return around({ x: drawing.width / 2, y: drawing.height / 2 }, frame, scale);
}

/**
 * The whole drawing if its texts are readable at that size; else its start in the middle, moved so that the frame shows no
 * space around the drawing.
 * @param start box of the node at which the pipeline starts; the top left corner of the drawing where it is not known
 */
export function begun(drawing: Size, frame: Size, start: Viewport | undefined): Viewport {
  if (scaleToFit(drawing, frame) >= smallestAtFirst) return fitted(drawing, frame);
  const { x, y, width, height } = start ?? { x: 0, y: 0, width: 0, height: 0 };
  const view = around({ x: x + width / 2, y: y + height / 2 }, frame, readable);
  const placed = (from: number, length: number, end: number): number =>
    length >= end ? (end - length) / 2 : Math.min(Math.max(from, 0), end - length);
  return {
    ...view,
    x: placed(view.x, view.width, drawing.width),
    y: placed(view.y, view.height, drawing.height),
  };
}

/** Closer, or further away, around a point of the frame (in its pixels). @param factor above 1 looks closer */
export function zoomedAt(
  view: Viewport,
  { drawing, frame }: { readonly drawing: Size; readonly frame: Size },
  point: { readonly x: number; readonly y: number },
  factor: number,
): Viewport {
  const scale = frame.width / view.width;
  const least = Math.min(1, scaleToFit(drawing, frame)) / furthest;
  const next = Math.min(Math.max(scale * factor, least), closest);
  const x = view.x + point.x / scale - point.x / next;
  const y = view.y + point.y / scale - point.y / next;
  return within({ x, y, width: frame.width / next, height: frame.height / next }, drawing);
}

/** Viewport moved by pixels of the frame, as long as a part of the drawing remains in it. */
export function panned(
  view: Viewport,
  { drawing, frame }: { readonly drawing: Size; readonly frame: Size },
  by: { readonly x: number; readonly y: number },
): Viewport {
  const scale = frame.width / view.width;
  return within({ ...view, x: view.x - by.x / scale, y: view.y - by.y / scale }, drawing);
}

/** The same middle and the same scale in a frame that has become larger or smaller. */
export function reframed(view: Viewport, before: Size, frame: Size): Viewport {
  return around(
    { x: view.x + view.width / 2, y: view.y + view.height / 2 },
    frame,
    before.width / view.width,
  );
}

/**
 * Moved so that a box is inside, with some room around it if there is room; unchanged if the box is inside already.
 * @param room in the units of the drawing
 */
export function showing(view: Viewport, box: Viewport, room: number): Viewport {
  const shift = (from: number, length: number, start: number, size: number): number => {
    const most = Math.min(room, Math.max(0, (length - size) / 2));
    if (start - most < from) return start - most;
    return start + size + most > from + length ? start + size + most - length : from;
  };
  return {
    ...view,
    x: shift(view.x, view.width, box.x, box.width),
    y: shift(view.y, view.height, box.y, box.height),
  };
}

function scaleToFit(drawing: Size, frame: Size): number {
  return Math.min(frame.width / Math.max(1, drawing.width), frame.height / Math.max(1, drawing.height));
}

function around(middle: { readonly x: number; readonly y: number }, frame: Size, scale: number): Viewport {
  const width = frame.width / scale;
  const height = frame.height / scale;
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
}

/** The middle of what is shown stays on the drawing. */
function within(view: Viewport, drawing: Size): Viewport {
  const clamp = (start: number, length: number, end: number): number =>
    Math.min(Math.max(start, -length / 2), end - length / 2);
  return {
    ...view,
    x: clamp(view.x, view.width, drawing.width),
    y: clamp(view.y, view.height, drawing.height),
  };
}
