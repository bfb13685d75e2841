/** The sign of attractor: two ways in, one way out. The same as icon.svg, in the colours of the page. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <path
        d="M8 8 C16 8 16 16 24 16 C16 16 16 24 8 24"
        fill="none"
        stroke="currentColor"
        stroke-width="2.5"
      />
      <circle cx="7" cy="8" r="4.5" class="mark-from" />
      <circle cx="7" cy="24" r="4.5" class="mark-from" />
      <circle cx="25" cy="16" r="5.5" class="mark-to" />
    </svg>
  );
}
