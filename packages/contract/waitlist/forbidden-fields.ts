const words = (list: string): readonly string[] => list.trim().split(/\s+/)

/**
 * Names of fields that are never accepted, grouped by content (contract decisions section 4), in the form of
 * `foldFieldName`. They have an error code of their own, so that a developer notices the mistake before a form sends
 * secrets.
 */
export const FORBIDDEN_FIELDS: { readonly [carried: string]: readonly string[] } = {
  passwords: words(`
    password passwords password1 password2 passwordagain passwordconfirm passwordconfirmation
    passwordhash passwordhint passwordrepeat confirmpassword currentpassword emailpassword
    loginpassword masterpassword newpassword oldpassword repeatpassword retypepassword
    userpassword verifypassword passwd passwort passcode passphrase passkey pass pwd pswd pin
    pincode pinnumber securityanswer securityquestion secretanswer secretquestion
  `),
  'second factors': words(`
    2fa 2facode authcode authenticatorcode backupcode backupcodes mfa mfacode mfatoken onetimecode
    onetimepassword otp otpcode otpsecret recoverycode recoverycodes smscode totp totpcode
    totpsecret twofactor twofactorcode verificationcode
  `),
  'tokens and keys': words(`
    accesskey accesskeyid accesstoken apikey apikeys apisecret apitoken appsecret assertion auth
    authkey authorization authtoken awsaccesskeyid awssecretaccesskey bearer bearertoken
    certificate clientsecret consumersecret cookie cookies credential credentials csrf csrftoken
    encryptionkey idtoken jsessionid jwt keystore logintoken oauth oauthtoken pem pgpkey phpsessid
    privatekey privatekeypem proxyauthorization refreshtoken samlresponse secret secretaccesskey
    secretkey secrets sessioncookie sessionkey sessionsecret sessiontoken setcookie signingkey
    sshkey sshprivatekey sslkey svckey token tokens webhooksecret xapikey xauthtoken xsrftoken
    xsvckey
  `),
  'identity documents': words(`
    aadhaar birthcertificate birthdate birthday citizenid dateofbirth dob documentid
    documentnumber driverlicense driverslicense driverslicence driverlicence drivinglicence
    drivinglicense ein governmentid hkid idcard idcardnumber iddocument identitycard
    identitydocument identitynumber idnumber idphoto licensenumber licencenumber nationalid
    nationalidentitynumber nationalidnumber nationalinsurancenumber nino nric passport passportid
    passportno passportnumber personalid personalidnumber placeofbirth residencepermit residentid
    selfie sin socialinsurancenumber socialsecurity socialsecuritynumber ssn taxid taxnumber
    taxpayerid thaiid tin vatid vatnumber visanumber voterid
  `),
  'bodily features': words(`
    biometric biometrics faceid facescan fingerprintscan irisscan touchid voiceprint
  `),
  'payment secrets': words(`
    accountnumber bankaccount bankaccountnumber bankcard bic billing card cardcode cardcvc cardcvv
    cardexpiry cardholder cardholdername cardnumber cardpin ccexp cccsc ccname ccnumber creditcard
    creditcardnumber csc cvc cvc2 cvn cvv cvv2 debitcard debitcardnumber expirationdate expirydate
    iban magstripe pan payment paymentmethod paymenttoken paypal paypalemail promptpay
    routingnumber securitycode sortcode stripetoken swift swiftcode track1 track2
  `),
  'wallet secrets': words(`
    bip32 bip39 bitcoinaddress btcaddress btcwallet cryptoaddress cryptowallet ethaddress
    ethereumaddress ethwallet extendedprivatekey extendedpublickey hdseed keyfile keyshare
    mnemonic mnemonics mnemonicphrase paymentaddress publicaddress recoverykey recoveryphrase
    recoveryseed recoverywords secretphrase secretrecoveryphrase seed seedhex seedphrase seedwords
    solanaaddress solanawallet spendingkey viewkey viewingkey wallet walletaddress walletconnect
    walletid walletkey walletpassword walletpassphrase walletpin walletprivatekey walletsecret
    walletseed wif wifkey xprv xpriv xpub
  `),
  'phone numbers': words(`
    cell cellnumber cellphone fax faxnumber homephone lineid mobile mobilenumber mobilephone
    msisdn phone phone1 phone2 phonenumber phonenumbers phones sms tel telegram telegramid
    telephone telephonenumber telnational wechat wechatid whatsapp whatsappnumber workphone
  `),
  'addresses of a person': words(`
    address address1 address2 addresses addressline1 addressline2 addressline3 billingaddress
    coordinates coords deliveryaddress fulladdress geo geohash geolocation gps homeaddress
    housenumber latitude latlng latlong location longitude mailingaddress physicaladdress
    postaladdress postalcode postcode residence residentialaddress shippingaddress street
    streetaddress streetname workaddress zip zipcode
  `),
  'addresses of a network': words(`
    bssid cfconnectingip clientip forwarded forwardedfor ip ipaddr ipaddress ipaddresses ips
    iphash ipv4 ipv4address ipv6 ipv6address lanip lastip localip mac macaddr macaddress originip
    publicip realip registrationip remoteaddr remoteaddress remotehost remoteip remoteport
    signupip sourceip ssid trueclientip userip wanip xclientip xforwardedfor xrealip
  `),
  'addresses of a device': words(`
    adid advertisingid androidid browser browserfingerprint browserid canvasfingerprint clientid
    device devicefingerprint deviceid deviceidentifier deviceinfo devicename devicetoken
    deviceuuid fbclid fcmtoken fingerprint gaid gclid hardwareid hwid iccid idfa idfv imei imsi
    installationid machineid meid pushtoken serial serialnumber trackingid ua udid useragent
    useragentdata vendorid visitorid webglfingerprint
  `),
}

const FORBIDDEN: ReadonlySet<string> = new Set(Object.values(FORBIDDEN_FIELDS).flat())

/** The name of a field in lower case, without `_` and `-`. */
export function foldFieldName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** Whether a field of this name is never accepted, in any spelling. */
export function isForbiddenField(name: string): boolean {
  return FORBIDDEN.has(foldFieldName(name))
}

/** Whether this is a spelling of `sessionId`: the service has no sessions and rejects it with its own code. */
export function isSessionIdField(name: string): boolean {
  return foldFieldName(name) === 'sessionid'
}
