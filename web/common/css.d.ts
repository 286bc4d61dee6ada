/** Style sheets are part of the bundle and export nothing. */
declare module '*.css' {}
