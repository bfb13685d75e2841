/** A web page, where a reply of a model was expected: most often from a proxy, or of a wrong address. */
export class WebPageReply extends Error {
  readonly statusCode: number;
  readonly title: string | undefined;

  constructor(statusCode: number, title: string | undefined) {
    super('the server sent a web page');
    this.name = 'WebPageReply';
    this.statusCode = statusCode;
    this.title = title;
  }
}

/** Something else that is not a reply of a model. */
export class UnreadableReply extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableReply';
  }
}

const longestTitle = 100;

/** The title of a text that is a web page; undefined for any other text. */
export function titleOfPage(text: string): { readonly title: string | undefined } | undefined {
  const start = text.slice(0, 200).trimStart();
  if (!/^(?:<!doctype html|<html|<head|<body|<!--)/i.test(start)) return undefined;
  const title = /<title[^>]*>([^<]*)/i.exec(text.slice(0, 20_000))?.[1]?.replaceAll(/\s+/g, ' ').trim();
  return { title: title ? title.slice(0, longestTitle) : undefined };
}
