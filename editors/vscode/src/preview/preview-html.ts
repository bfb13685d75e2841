export interface PreviewPlaces {
  /** Origin of the files of the extension, for the content security policy. */
  readonly origin: string;
  readonly script: string;
  readonly style: string;
  /** A new random text for each page. */
  readonly nonce: string;
}

/**
 * Page of the preview. It runs one script, that of the extension, and loads its style sheet and nothing else: no network, no inline
 * scripts or styles, whatever a pipeline says.
 */
export function previewHtml({ origin, script, style, nonce }: PreviewPlaces): string {
  const policy = `default-src 'none'; style-src ${origin}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Preview</title>
    <link rel="stylesheet" href="${style}">
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body>
    <div id="preview"></div>
  </body>
</html>
`;
}
