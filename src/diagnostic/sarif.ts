/**
 * The part of the Static Analysis Results Interchange Format 2.1.0 (OASIS) that we write, by its own names;
 * section numbers are its.
 */
export interface SarifLog {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly SarifRun[];
}

/** One call of the tool (§3.14). */
export interface SarifRun {
  readonly tool: { readonly driver: SarifDriver };
  /** §3.14.17: columns count UTF-16 units, as ours do. */
  readonly columnKind: 'utf16CodeUnits';
  readonly originalUriBaseIds?: Readonly<Record<string, { readonly uri: string }>>;
  readonly artifacts: readonly SarifArtifact[];
  readonly results: readonly SarifResult[];
}

/** A file that was looked at (§3.24). */
export interface SarifArtifact {
  readonly location: SarifArtifactLocation;
  readonly roles: readonly ['analysisTarget'];
  readonly mimeType: 'text/vnd.graphviz';
}

/** §3.19 */
export interface SarifDriver {
  readonly name: string;
  readonly version: string;
  readonly rules: readonly SarifRule[];
}

/** A reporting descriptor (§3.49). */
export interface SarifRule {
  readonly id: string;
  readonly shortDescription?: SarifText;
  readonly fullDescription?: SarifText;
  readonly help?: SarifText;
  readonly defaultConfiguration?: { readonly level: SarifLevel };
}

/** §3.27.10; `note` is our `info`. */
export type SarifLevel = 'error' | 'warning' | 'note';

interface SarifText {
  readonly text: string;
}

/** One finding (§3.27). */
export interface SarifResult {
  /** May say more than the id of its rule (§3.27.5): `syntax/missing_comma`. */
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: SarifLevel;
  readonly message: SarifText;
  readonly locations: readonly SarifLocation[];
  readonly relatedLocations?: readonly SarifLocation[];
  readonly fixes?: readonly SarifFix[];
}

/** §3.28 */
export interface SarifLocation {
  readonly id?: number;
  readonly physicalLocation: {
    readonly artifactLocation: SarifArtifactLocation;
    readonly region: SarifRegion;
  };
  readonly logicalLocations?: readonly { readonly name: string; readonly kind: string }[];
  readonly message?: SarifText;
}

/** §3.4 */
export interface SarifArtifactLocation {
  readonly uri: string;
  readonly uriBaseId?: string;
  readonly index?: number;
}

/** Lines and columns from 1, the end after the last character (§3.30). */
export interface SarifRegion {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** §3.55 */
export interface SarifFix {
  readonly description: SarifText;
  readonly artifactChanges: readonly {
    readonly artifactLocation: SarifArtifactLocation;
    readonly replacements: readonly {
      readonly deletedRegion: SarifRegion;
      readonly insertedContent: SarifText;
    }[];
  }[];
}
