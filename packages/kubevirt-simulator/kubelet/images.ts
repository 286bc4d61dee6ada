/** What an image runs on this machine. */
export interface Image {
  /** Program and first arguments; a container's `args` follow. */
  command: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** By reference, with or without tag. */
export type Images = Readonly<Record<string, Image>>;

/** The image that a reference means: the one of exactly that name, else of the name without tag and digest. */
export function findImage(images: Images, reference: string): Image | undefined {
  if (Object.hasOwn(images, reference)) return images[reference];
  const name = reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  return Object.hasOwn(images, name) ? images[name] : undefined;
}
