/** A small picture, 24 by 24, next to a text that says the same; screen readers leave it out. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class={name === 'busy' ? 'spin' : undefined}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

const shapes = {
  busy: 'M12 3a9 9 0 1 0 9 9',
  done: 'M5 12.5 10 17.5 19 7',
  failed: 'M6 6 18 18 M18 6 6 18',
  waiting: 'M12 7v5.5l3.5 2 M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  paused: 'M9 5v14 M15 5v14',
  stopped: 'M5.5 5.5l13 13 M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  broken: 'M13 3 5 14h6l-1 7 9-12h-6z',
  play: 'M7 4.5v15l12-7.5z',
  cancel: 'M6.5 6.5h11v11h-11z',
  fork: 'M7 4v6a4 4 0 0 0 4 4h2a4 4 0 0 1 4 4v2 M7 10v10 M14.5 17.5 17 20l2.5-2.5 M4.5 17.5 7 20l2.5-2.5',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14 M20 20l-4-4',
  close: 'M6 6 18 18 M18 6 6 18',
  copy: 'M9 9h11v11H9z M5 15H4V4h11v1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8 M12 2v2 M12 20v2 M2 12h2 M20 12h2 M4.9 4.9l1.4 1.4 M17.7 17.7l1.4 1.4 M4.9 19.1l1.4-1.4 M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M3 5h18v11H3z M8 20h8 M12 16v4',
  keyboard: 'M3 6h18v12H3z M7 10h.01 M11 10h.01 M15 10h.01 M7.5 14h9',
  question:
    'M9.2 9.2a2.9 2.9 0 1 1 4.1 2.9c-.9.4-1.3 1-1.3 2 M12 17.3v.01 M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  empty: 'M4 6h7v5H4z M13 13h7v5h-7z M7.5 11v4.5H13',
  lost: 'M3 3l18 18 M8.5 16.4a5 5 0 0 1 7 0 M5 12.9a10 10 0 0 1 5.2-2.7 M19 12.9a10 10 0 0 0-2.6-1.9 M12 20h.01',
  'zoom-in': 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14 M20 20l-4-4 M11 8v6 M8 11h6',
  'zoom-out': 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14 M20 20l-4-4 M8 11h6',
  fit: 'M4 9V4h5 M15 4h5v5 M20 15v5h-5 M9 20H4v-5',
  follow: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8 M12 2v4 M12 18v4 M2 12h4 M18 12h4',
  more: 'M6 9l6 6 6-6',
  back: 'M15 6l-6 6 6 6',
  forth: 'M9 6l6 6-6 6',
  download: 'M12 4v11 M7 11l5 5 5-5 M5 20h14',
  external: 'M14 4h6v6 M20 4l-9 9 M18 14v6H4V6h6',
} as const;

export type IconName = keyof typeof shapes;
