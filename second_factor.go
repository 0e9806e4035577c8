package parley

// RecoveryCodes is how many recovery codes a second factor has.
const RecoveryCodes = 10

// ReasonTOTP is the reason in the body of error 1003 if a code of the second factor is missing or wrong.
const ReasonTOTP = "totp"

// LoginFailure is the body of error 1003 if a code of the second factor is missing or wrong.
type LoginFailure struct {
	Reason string `json:"reason" enum:"totp" doc:"What is missing or wrong, if it is not the password." example:"totp"`
}

// The errors of a second factor. ErrCodeNeeded is a case of ErrWrongCode.
var (
	ErrCodeNeeded = &Error{
		Code: CodeWrongPassword, Kind: Factor, parent: ErrWrongCode, Body: LoginFailure{Reason: ReasonTOTP},
		Message: "this account has a second factor; a code of the authenticator app or a recovery code is needed",
	}
	ErrWrongCode = &Error{
		Code: CodeWrongPassword, Kind: Factor, Body: LoginFailure{Reason: ReasonTOTP},
		Message: "the code is wrong or was used before; wait for the next one of the authenticator app",
	}
	ErrAdminNeedsFactor = &Error{
		Code: CodeInvalidParameter, Kind: Forbidden,
		Message: "administrators of this server need a second factor; set it up in the settings of your account first",
	}
	ErrNoSetUp = &Error{
		Code:    CodeInvalidParameter,
		Message: "there is no second factor to confirm; set one up first",
	}
)

// SecondFactorInput sets up a second factor.
type SecondFactorInput struct {
	Password string `json:"password,omitempty" required:"false" minLength:"1" maxLength:"256" doc:"The account's password; left out if it has none. Then the login must have been made by a sign-in of the last 5 minutes." example:"correct horse"`
	Code     string `json:"code,omitempty" required:"false" maxLength:"64" doc:"If the account has a second factor: a current code of it, or a recovery code." example:"492039"`
}

// SecondFactorOutput is the secret of an unconfirmed second factor.
type SecondFactorOutput struct {
	Secret string `json:"secret" doc:"160 random bits in Base32, to be typed into an authenticator app." example:"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"`
	URI    string `json:"uri" doc:"The same as an otpauth address, to be shown as a QR code." example:"otpauth://totp/Parley:ada@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Parley&algorithm=SHA1&digits=6&period=30"`
}

// ConfirmSecondFactorInput turns a second factor on.
type ConfirmSecondFactorInput struct {
	Code string `json:"code" minLength:"1" maxLength:"64" doc:"The current code of the authenticator app, six digits. White space is ignored." example:"492039"`
}

// RecoveryCodesOutput holds the recovery codes of a second factor. They are never returned again.
type RecoveryCodesOutput struct {
	RecoveryCodes []string `json:"recovery_codes" nullable:"false" doc:"Ten codes. Each one logs in once, in place of a code of the authenticator app." example:"[\"b7qk-2mzd-x4ra-wn3f\"]"`
}

// RemoveSecondFactorInput confirms that a second factor is turned off.
type RemoveSecondFactorInput struct {
	Password string `json:"password,omitempty" required:"false" minLength:"1" maxLength:"256" doc:"The account's password; left out if it has none. Then the login must have been made by a sign-in of the last 5 minutes." example:"correct horse"`
}
