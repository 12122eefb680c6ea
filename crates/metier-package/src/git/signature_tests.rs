use super::*;

#[test]
fn a_signature_is_recognised_by_how_it_begins() {
    // P4
    let cases: [(&str, Option<Kind>); 6] = [
        ("tree 1\n\nmessage\n", None),
        ("tree 1\ngpgsig -----BEGIN SSH SIGNATURE-----\n x\n\nmessage\n", Some(Kind::Ssh)),
        ("tree 1\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n\nmessage\n", Some(Kind::Pgp)),
        ("tree 1\ngpgsig-sha256 -----BEGIN SSH SIGNATURE-----\n x\n", Some(Kind::Ssh)),
        ("tree 1\ngpgsig -----BEGIN SIGNED MESSAGE-----\n x\n", Some(Kind::Other)),
        ("object 1\n\nmessage\n-----BEGIN PGP SIGNATURE-----\n", Some(Kind::Pgp)),
    ];
    for (content, expect) in cases {
        assert_eq!(kind(content.as_bytes()), expect, "{content}");
    }
}

#[test]
fn what_the_verifiers_say_is_understood() {
    // P4
    let good = |signer: &str| Signature::Good { signer: signer.to_owned() };
    let unknown = |signer: &str| Signature::Unknown { signer: signer.to_owned() };
    for (said, expect) in [
        (
            "Good \"git\" signature for me@example.org with ED25519 key SHA256:abc",
            good("SHA256:abc"),
        ),
        (
            "Good \"git\" signature with ED25519 key SHA256:abc\nNo principal matched.",
            unknown("SHA256:abc"),
        ),
        (
            "No principal matched.\nSignature verification failed: incorrect signature",
            Signature::Bad,
        ),
        ("Could not verify signature.\nNo principal matched.", Signature::Bad),
        ("fatal: cannot exec 'ssh-keygen': No such file or directory", unknown("")),
        ("Signature verification failed: incorrect signature", Signature::Bad),
        ("", unknown("")),
    ] {
        assert_eq!(ssh(said), expect, "{said}");
    }
    for (said, expect) in [
        ("[GNUPG:] GOODSIG 1 me\n[GNUPG:] VALIDSIG ABC 2026", good("ABC")),
        ("[GNUPG:] ERRSIG 99 1 8", unknown("99")),
        ("[GNUPG:] BADSIG 1 me", Signature::Bad),
        ("[GNUPG:] EXPKEYSIG 77 me\n[GNUPG:] VALIDSIG ABC 2026", unknown("ABC")),
        ("[GNUPG:] REVKEYSIG 1 me\n[GNUPG:] VALIDSIG ABC 2026", Signature::Bad),
        ("gpg: not found", unknown("")),
    ] {
        assert_eq!(pgp(said), expect, "{said}");
    }
}
