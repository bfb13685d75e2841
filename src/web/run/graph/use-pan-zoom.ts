import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PipelinePicture } from './pipeline-picture.js';
import { begun, fitted, panned, reframed, type Size, showing, type Viewport, zoomedAt } from './viewport.js';

/** Moves the picture in a frame. */
export interface PanZoom {
  /** Brings a part of the drawing into sight. */
  readonly show: (box: Viewport) => void;
  /** @returns true if the key has a meaning here */
  readonly onKey: (key: string) => boolean;
  /**
   * Returns true if the last release of the pointer ended a drag of the picture: then its click has no
   * other meaning.
   */
  readonly wasDragged: () => boolean;
  readonly isPressed: () => boolean;
}

const step = 60;
/** Pixels around what is brought into sight: the buttons in the corner of the frame must not lie over it. */
const roomAround = 64;
const zoomStep = 1.25;
/** Less is a click of a hand that is not quite still. */
const dragThreshold = 4;

/**
 * Pans and zooms a picture that is in its frame.
 * @param start the node that is shown first of a picture that does not fit in
 * @param onMoved called when the picture is moved by hand
 */
export function usePanZoom(
  frame: RefObject<HTMLElement | null>,
  picture: PipelinePicture | undefined,
  start: string | undefined,
  onMoved: () => void,
): PanZoom {
  const moved = useRef(onMoved);
  moved.current = onMoved;
  const camera = useMemo(
    () => (picture === undefined ? undefined : new Camera(picture, start)),
    [picture, start],
  );
  useEffect(() => {
    const element = frame.current;
    if (element === null || camera === undefined) return undefined;
    return camera.attach(element, () => moved.current());
  }, [frame, camera]);
  return useMemo(
    () => ({
      show: (box) => camera?.show(box),
      onKey: (key) => {
        const isKnown = camera?.onKey(key) ?? false;
        if (isKnown) moved.current();
        return isKnown;
      },
      wasDragged: () => camera?.wasDragged ?? false,
      isPressed: () => camera?.isPressed ?? false,
    }),
    [camera],
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Visible part of a picture, changed by pointers, keys and the size of the frame. */
class Camera {
  wasDragged = false;
  readonly #picture: PipelinePicture;
  readonly #start: string | undefined;
  readonly #pointers = new Map<number, Point>();
  #frame: Size = { width: 0, height: 0 };
  #view: Viewport | undefined;
  /** Fit that is kept when the frame changes; undefined after a move by hand. */
  #fit: 'begun' | 'fitted' | undefined = 'begun';
  #travelled = 0;

  constructor(picture: PipelinePicture, start: string | undefined) {
    this.#picture = picture;
    this.#start = start;
  }

  get isPressed(): boolean {
    return this.#pointers.size > 0;
  }

  /** @returns what takes it off again */
  attach(element: HTMLElement, onMoved: () => void): () => void {
    const leaving = new AbortController();
    const { signal } = leaving;
    const at = (event: MouseEvent): Point => {
      const { left, top } = element.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const release = (event: PointerEvent): void => {
      this.#pointers.delete(event.pointerId);
    };
    element.addEventListener('pointerdown', (event) => this.#press(event, at(event)), { signal });
    element.addEventListener(
      'pointermove',
      (event) => {
        if (!this.#drag(event.pointerId, at(event))) return;
        if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
        onMoved();
      },
      { signal },
    );
    for (const type of ['pointerup', 'pointercancel'] as const)
      element.addEventListener(type, release, { signal });
    element.addEventListener('pointerleave', (event) => event.buttons === 0 && release(event), { signal });
    const onWheel = (event: WheelEvent): void => {
      // A page that is scrolled past the picture continues scrolling.
      const isMeant = event.ctrlKey || event.metaKey || element.contains(document.activeElement);
      if (!isMeant) return;
      event.preventDefault();
      this.#zoom(at(event), Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
      onMoved();
    };
    element.addEventListener('wheel', onWheel, { signal, passive: false });
    const observer = new ResizeObserver(() => this.#resize(element));
    observer.observe(element);
    this.#resize(element);
    return () => {
      leaving.abort();
      observer.disconnect();
    };
  }

  show(box: Viewport): void {
    if (this.#view === undefined || isWhole(this.#view, this.#picture.size)) return;
    const { x, y } = this.#view;
    this.#set(showing(this.#view, box, (roomAround * this.#view.width) / this.#frame.width));
    if (this.#view.x !== x || this.#view.y !== y) this.#fit = undefined;
  }

  onKey(key: string): boolean {
    const { width, height } = this.#frame;
    const middle = { x: width / 2, y: height / 2 };
    switch (key) {
      case '+':
      case '=':
        return this.#zoom(middle, zoomStep);
      case '-':
      case '_':
        return this.#zoom(middle, 1 / zoomStep);
      case '0':
        this.#fit = 'fitted';
        this.#place('fitted');
        return true;
      case 'ArrowLeft':
        return this.#pan({ x: step, y: 0 });
      case 'ArrowRight':
        return this.#pan({ x: -step, y: 0 });
      case 'ArrowUp':
        return this.#pan({ x: 0, y: step });
      case 'ArrowDown':
        return this.#pan({ x: 0, y: -step });
      default:
        return false;
    }
  }

  #press(event: PointerEvent, point: Point): void {
    if (event.button !== 0) return;
    if (this.#pointers.size === 0) {
      this.#travelled = 0;
      this.wasDragged = false;
    }
    this.#pointers.set(event.pointerId, point);
  }

  /** One pointer moves, two also change the size. */
  #drag(pointer: number, point: Point): boolean {
    const before = this.#pointers.get(pointer);
    if (before === undefined) return false;
    this.#pointers.set(pointer, point);
    this.#travelled += Math.hypot(point.x - before.x, point.y - before.y);
    if (this.#travelled < dragThreshold) return false;
    this.wasDragged = true;
    const other = [...this.#pointers].find(([id]) => id !== pointer)?.[1];
    const share = other === undefined ? 1 : 0.5;
    this.#pan({ x: (point.x - before.x) * share, y: (point.y - before.y) * share });
    if (other === undefined) return true;
    const spread = Math.hypot(before.x - other.x, before.y - other.y);
    const middle = { x: (point.x + other.x) / 2, y: (point.y + other.y) / 2 };
    if (spread > 0) this.#zoom(middle, Math.hypot(point.x - other.x, point.y - other.y) / spread);
    return true;
  }

  #zoom(point: Point, factor: number): boolean {
    return this.#move((view, sizes) => zoomedAt(view, sizes, point, factor));
  }

  #pan(by: Point): boolean {
    return this.#move((view, sizes) => panned(view, sizes, by));
  }

  #move(
    change: (view: Viewport, sizes: { readonly drawing: Size; readonly frame: Size }) => Viewport,
  ): boolean {
    if (this.#view === undefined) return false;
    this.#fit = undefined;
    this.#set(change(this.#view, { drawing: this.#picture.size, frame: this.#frame }));
    return true;
  }

  #resize(element: HTMLElement): void {
    const frame = { width: element.clientWidth, height: element.clientHeight };
    if (frame.width === 0 || frame.height === 0) return;
    const before = this.#frame;
    this.#frame = frame;
    if (this.#fit !== undefined || this.#view === undefined) this.#place(this.#fit ?? 'begun');
    else this.#set(reframed(this.#view, before, frame));
  }

  #place(fit: 'begun' | 'fitted'): void {
    const { size } = this.#picture;
    const start = this.#start === undefined ? undefined : this.#picture.boxOf(this.#start);
    this.#set(fit === 'begun' ? begun(size, this.#frame, start) : fitted(size, this.#frame));
  }

  #set(view: Viewport): void {
    this.#view = view;
    const { x, y, width, height } = view;
    this.#picture.svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
  }
}

/** True while all of the drawing is shown. */
function isWhole({ x, y, width, height }: Viewport, drawing: Size): boolean {
  return x <= 0 && y <= 0 && x + width >= drawing.width && y + height >= drawing.height;
}
