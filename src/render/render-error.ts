/** The pipeline could not be drawn; the message says why and what to do. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}
