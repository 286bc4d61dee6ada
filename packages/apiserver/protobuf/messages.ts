/** A field of a protobuf message. */
export interface Field {
  /** Its name in JSON. */
  name: string;
  /** A scalar type of protobuf, or the name of a message. For a map: of its values. */
  type: string;
  repeated?: true;
  /** From strings. */
  map?: true;
  /** Its own fields stand in its parent in JSON. */
  inline?: true;
  /** A zero value says something: it is a pointer in Go. */
  pointer?: true;
}

/** What messages.json holds. */
export interface Messages {
  /** Message names by `apiVersion/kind`. */
  kinds: Record<string, string>;
  /** By message name and field number. */
  messages: Record<string, Record<string, Field>>;
}
