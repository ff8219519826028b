/** A logo that is safe to publish. */
export interface LogoImage {
  readonly bytes: Buffer
  /** In CSS pixels. */
  readonly width: number
  readonly height: number
}
